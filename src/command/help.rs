//! A test of the help of every command.

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::command::Cli;

/// Whether an option's help says what happens without it: by its default, or in words.
fn is_complete(arg: &Arg) -> bool {
    let help = [arg.get_help(), arg.get_long_help()].into_iter().flatten().map(ToString::to_string);
    let help = help.collect::<Vec<_>>().join("\n");
    let says = [
        "Without it",
        "without it",
        "without this option",
        "Without this option",
        "Default: ",
        "nstead of ",
        "Required unless ",
    ];
    let has_default = !arg.get_default_values().is_empty() && !arg.is_hide_default_value_set();
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    arg.is_required_set() || (has_default && !is_flag) || says.iter().any(|words| help.contains(words))
}

fn incomplete(command: &Command, name: &str, found: &mut Vec<String>) {
    // A hidden option is there to be refused with advice, and no help shows it.
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let own = own.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()));
    found.extend(own.filter(|arg| !is_complete(arg)).map(|arg| format!("{name}: {arg}")));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        incomplete(below, &format!("{name} {}", below.get_name()), found);
    }
}

#[test]
fn help_states_default_of_every_option() {
    let mut found = Vec::new();
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    incomplete(&command, "heapsmith", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

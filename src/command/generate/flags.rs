//! The options of the generator as flags, one for each of its rows.

use crate::error::Error;
use crate::generate::{GenerateOption, GenerateOptions, Lengths, ShapeForm};
use crate::recipe::Recipe;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The options that were given, with their texts.
pub(super) struct GenerateFlags(Vec<(&'static GenerateOption, String)>);

impl GenerateFlags {
    /// Changes the options that were given.
    pub(super) fn apply(&self, recipe: &mut Recipe) -> Result<(), Error> {
        self.0.iter().try_for_each(|(option, text)| option.set(&mut recipe.options, text))
    }

    /// The keys of the options that were given.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(option, _)| option.key())
    }
}

impl Args for GenerateFlags {
    fn augment_args(command: Command) -> Command {
        let spellings: Vec<String> =
            Lengths::SPELLINGS.iter().map(|(spelling, what)| format!("  {spelling:<15} {what}")).collect();
        let shapes: Vec<String> =
            ShapeForm::FORMS.iter().map(|form| format!("  {:<15} {}", form.spelling(), form.summary)).collect();
        let command =
            command.after_help(format!("Distributions:\n{}\n\nShapes:\n{}", spellings.join("\n"), shapes.join("\n")));
        let defaults = GenerateOptions::default();
        GenerateOption::rows().fold(command, |command, option| {
            let default = option.text(&defaults);
            let arg = Arg::new(option.key()).long(option.key()).value_name("VALUE").help_heading("Options of the heap");
            let arg = if option.is_list() { arg.action(ArgAction::Append) } else { arg };
            command.arg(match option.names() {
                Some(names) => arg
                    .help(format!("{} Default: {default}", option.help()))
                    .value_parser(PossibleValuesParser::new(names)),
                None => arg.help(format!("{} Expected: {}. Default: {default}", option.help(), option.values())),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        GenerateFlags::augment_args(command)
    }
}

impl FromArgMatches for GenerateFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<GenerateFlags, clap::Error> {
        // The items of a list may be given one by one.
        let given = |option: &'static GenerateOption| {
            let all: Vec<&str> = matches.get_many::<String>(option.key())?.map(String::as_str).collect();
            Some((option, all.join("+")))
        };
        Ok(GenerateFlags(GenerateOption::rows().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = GenerateFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

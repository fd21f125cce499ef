//! What belongs to a JDK.

/// The modules of JDKs from 9 to 25 but for those that read heap dumps, such as `openj9.dtfj`: they are what is tested.
const MODULES: [&str; 94] = [
    "java.activation",
    "java.base",
    "java.compiler",
    "java.corba",
    "java.datatransfer",
    "java.desktop",
    "java.instrument",
    "java.jnlp",
    "java.logging",
    "java.management",
    "java.management.rmi",
    "java.naming",
    "java.net.http",
    "java.prefs",
    "java.rmi",
    "java.scripting",
    "java.se",
    "java.se.ee",
    "java.security.jgss",
    "java.security.sasl",
    "java.smartcardio",
    "java.sql",
    "java.sql.rowset",
    "java.transaction",
    "java.transaction.xa",
    "java.xml",
    "java.xml.bind",
    "java.xml.crypto",
    "java.xml.ws",
    "java.xml.ws.annotation",
    "jdk.accessibility",
    "jdk.aot",
    "jdk.attach",
    "jdk.charsets",
    "jdk.compiler",
    "jdk.crypto.cryptoki",
    "jdk.crypto.ec",
    "jdk.crypto.mscapi",
    "jdk.deploy",
    "jdk.dynalink",
    "jdk.editpad",
    "jdk.graal.compiler",
    "jdk.graal.compiler.management",
    "jdk.httpserver",
    "jdk.incubator.concurrent",
    "jdk.incubator.foreign",
    "jdk.incubator.httpclient",
    "jdk.incubator.jpackage",
    "jdk.incubator.vector",
    "jdk.internal.ed",
    "jdk.internal.jvmstat",
    "jdk.internal.le",
    "jdk.internal.md",
    "jdk.internal.opt",
    "jdk.internal.vm.ci",
    "jdk.internal.vm.compiler",
    "jdk.internal.vm.compiler.management",
    "jdk.jartool",
    "jdk.javadoc",
    "jdk.jcmd",
    "jdk.jconsole",
    "jdk.jdeps",
    "jdk.jdi",
    "jdk.jdwp.agent",
    "jdk.jfr",
    "jdk.jlink",
    "jdk.jpackage",
    "jdk.jshell",
    "jdk.jsobject",
    "jdk.jstatd",
    "jdk.localedata",
    "jdk.management",
    "jdk.management.agent",
    "jdk.management.jfr",
    "jdk.naming.dns",
    "jdk.naming.rmi",
    "jdk.net",
    "jdk.nio.mapmode",
    "jdk.pack",
    "jdk.packager",
    "jdk.policytool",
    "jdk.random",
    "jdk.rmic",
    "jdk.scripting.nashorn",
    "jdk.scripting.nashorn.shell",
    "jdk.sctp",
    "jdk.security.auth",
    "jdk.security.jgss",
    "jdk.unsupported",
    "jdk.unsupported.desktop",
    "jdk.xml.bind",
    "jdk.xml.dom",
    "jdk.xml.ws",
    "jdk.zipfs",
];

/// Packages of a JDK up to 8, which had no modules. Those of its readers of heap dumps, such as `com.sun.tools.hat`, are not
/// among them, nor are those of OpenJDK's tests, such as `jdk.test.lib`.
const PACKAGES: [&str; 19] = [
    "com.sun.crypto.",
    "com.sun.jmx.",
    "com.sun.jndi.",
    "com.sun.management.",
    "com.sun.net.",
    "com.sun.nio.",
    "com.sun.org.",
    "com.sun.proxy.",
    "com.sun.security.",
    "com.sun.xml.",
    "java.",
    "javax.",
    "jdk.internal.",
    "jdk.nashorn.",
    "jdk.net.",
    "org.ietf.jgss.",
    "org.w3c.dom.",
    "org.xml.sax.",
    "sun.",
];

/// Whether this is the name of a module of the JDK.
pub(super) fn is_module(name: &str) -> bool {
    MODULES.binary_search(&name).is_ok()
}

/// Whether a class is of a JDK without modules.
pub(super) fn is_class(name: &str) -> bool {
    PACKAGES.iter().any(|package| name.starts_with(package))
}

#[cfg(test)]
mod tests {
    use super::MODULES;

    #[test]
    fn modules_can_be_searched() {
        assert!(MODULES.is_sorted());
    }
}

//! Which fields of which format say a fact, and the rule that says how they are to be understood.

use crate::compare::Facet;
use crate::format::Family;

/// The names of the fields (src/FORMAT/annotate.rs), and the rule. `is_array` is for objects whose records differ.
pub(super) fn fields(family: Family, facet: Facet, is_array: bool) -> (&'static [&'static str], Option<&'static str>) {
    let (names, rule) = match family {
        Family::Phd => phd(facet, is_array),
        Family::Hprof => hprof(facet, is_array),
        Family::Classic => classic(facet, is_array),
    };
    (names, (!rule.is_empty()).then_some(rule))
}

type Said = (&'static [&'static str], &'static str);

fn phd(facet: Facet, is_array: bool) -> Said {
    match facet {
        Facet::WordSize => (&["flags"], "phd.words.word"),
        Facet::VersionText => (&["version text"], "phd.header.version-text-encoding"),
        Facet::HeaderTotals => (&["total objects", "total references"], "phd.header.totals"),
        Facet::HashRandoms => (&["hash code random 1", "hash code random 2"], "phd.header.record-payloads"),
        Facet::Address => (&["gap"], "phd.gap.base"),
        Facet::Kind => (&["tag"], "phd.record.tag"),
        Facet::ClassName => (&["name length", "name"], "phd.class.name"),
        Facet::Superclass => (&["superclass word"], "phd.class.layout"),
        Facet::InstanceSize => (&["instance size"], "phd.class.instance-size"),
        Facet::Class if is_array => (&["class word"], "phd.object-array.class-word"),
        Facet::Class => (&["class word", "tag"], "phd.class-cache.round-robin"),
        Facet::ClassWord => (&["class word"], "phd.object-array.class-word"),
        Facet::ArrayLength => (&["length", "true length"], "phd.array.length-unsigned"),
        Facet::ObjectSize => (&["instance size / 4"], "phd.array.instance-size"),
        Facet::Hash16 => (&["hash"], "phd.hash.every-record"),
        Facet::Hash32 => (&["hash"], "phd.hash.where-used"),
        Facet::References => (&["reference"], "phd.references.base"),
        Facet::ClassReferences => (&["reference"], "phd.class.references"),
        Facet::ReferenceOrder => (&["reference"], "phd.object-array.reference-order"),
        Facet::RecordOrder => (&["tag"], ""),
        _ => (&[], ""),
    }
}

fn hprof(facet: Facet, is_array: bool) -> Said {
    match facet {
        Facet::IdentifierSize => (&["size of identifiers"], "hprof.header.id-size"),
        Facet::HeaderVersion => (&["version"], "hprof.header.version"),
        Facet::TimeStamp => (&["time stamp, high word", "time stamp, low word"], "hprof.header.layout"),
        Facet::Address => (&["object id", "array object id", "class object id"], "hprof.id.unsigned"),
        Facet::Kind => (&["sub-record tag"], "hprof.sub-record.tag"),
        Facet::ClassName => (&["class object id"], "hprof.load-class.layout"),
        Facet::Superclass => (&["super class object id"], "hprof.class.layout"),
        Facet::Loader => (&["class loader object id"], "hprof.class.layout"),
        Facet::Signers => (&["signers object id"], "hprof.class.layout"),
        Facet::ProtectionDomain => (&["protection domain object id"], "hprof.class.layout"),
        Facet::InstanceSize => (&["instance size"], "hprof.class.instance-size-meaning"),
        Facet::Fields => {
            (&["number of instance fields", "field name string id", "type of field"], "hprof.class.values")
        }
        Facet::Statics => {
            (&["number of static fields", "static field name string id", "value of field"], "hprof.class.values")
        }
        Facet::ConstantPool => {
            (&["size of constant pool", "constant pool index", "type of entry", "value of entry"], "hprof.class.values")
        }
        Facet::ClassTrace | Facet::ObjectTrace => (&["stack trace serial number"], "hprof.trace.layout"),
        Facet::Class if is_array => (&["array class object id"], "hprof.object-array.class"),
        Facet::Class => (&["class object id"], "hprof.instance.layout"),
        Facet::ArrayLength => (&["number of elements"], "hprof.primitive-array.layout"),
        Facet::FieldValues => (&["field value", "field values"], "hprof.instance.field-order"),
        Facet::Elements => (&["element", "elements"], "hprof.object-array.layout"),
        Facet::PrimitiveContents => (&["element", "elements"], "hprof.primitive-array.layout"),
        Facet::References | Facet::ReferenceOrder if is_array => {
            (&["element", "elements"], "hprof.object-array.layout")
        }
        Facet::References | Facet::ReferenceOrder => (&["field value", "field values"], "hprof.instance.field-order"),
        Facet::RecordOrder => (&["sub-record tag"], "hprof.sub-record.order"),
        _ => (&[], ""),
    }
}

fn classic(facet: Facet, is_array: bool) -> Said {
    match facet {
        Facet::WordSize => (&["address"], "classic.number.word"),
        Facet::VersionText => (&["version"], "classic.header.layout"),
        Facet::Address => (&["address"], "classic.number.hexadecimal"),
        Facet::Kind => (&["record type", "type"], "classic.record.type"),
        Facet::ClassName => (&["type"], "classic.name.types"),
        Facet::InstanceSize | Facet::ObjectSize | Facet::ClassObjectSize => (&["size"], "classic.number.size-meaning"),
        Facet::Class | Facet::ClassWord => (&["type"], "classic.reference.class-by-name"),
        Facet::References if is_array => (&["reference"], "classic.reference.class-block"),
        Facet::References => (&["reference"], "classic.record.layout"),
        Facet::ClassReferences => (&["reference"], "classic.class.native-references"),
        Facet::ReferenceOrder => (&["reference"], "classic.reference.array-order"),
        Facet::HeaderTotals => (&["totals", "breakdown"], "classic.trailer.counts"),
        Facet::NullReferences => (&["totals"], "classic.trailer.unlisted-nulls"),
        Facet::RecordOrder => (&["record type"], "classic.file.order"),
        _ => (&[], ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::rule;

    #[test]
    fn every_rule_that_is_named_is_in_a_rule_book() {
        let mut named = 0;
        for family in Family::ALL {
            for facet in Facet::ALL {
                for is_array in [false, true] {
                    if let (_, Some(id)) = fields(family, facet, is_array) {
                        assert!(rule(id).is_some(), "{id}");
                        named += 1;
                    }
                }
            }
        }
        assert!(named > 80, "{named}");
    }
}

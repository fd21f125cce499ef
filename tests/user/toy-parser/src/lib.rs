//! A toy parser of HPROF dumps, which counts, and the tests that heapsmith makes of it.

/// What is in a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub classes: u64,
    pub instances: u64,
    pub object_arrays: u64,
    pub primitive_arrays: u64,
}

/// ObjectCounts what is in a dump.
///
/// # Errors
/// What is wrong with it.
pub fn census(dump: &[u8]) -> Result<Census, String> {
    let magic = dump.iter().position(|byte| *byte == 0).ok_or("no end of the magic text")?;
    if !dump.starts_with(b"JAVA PROFILE ") {
        return Err("no HPROF dump".to_owned());
    }
    let mut file = Bytes { rest: &dump[magic + 1..], id: 0 };
    file.id = file.number(4)? as usize;
    file.skip(8)?;
    let mut census = Census::default();
    while !file.rest.is_empty() {
        let tag = file.number(1)?;
        file.skip(4)?;
        let length = file.number(4)? as usize;
        let mut body = Bytes { rest: file.take(length)?, id: file.id };
        while matches!(tag, 0x0c | 0x1c) && !body.rest.is_empty() {
            sub_record(&mut body, &mut census)?;
        }
    }
    Ok(census)
}

fn sub_record(body: &mut Bytes<'_>, census: &mut Census) -> Result<(), String> {
    let id = body.id;
    match body.number(1)? {
        0xff | 0x05 | 0x07 => body.skip(id),
        0x01 => body.skip(2 * id),
        0x02 | 0x03 | 0x08 => body.skip(id + 8),
        0x04 | 0x06 => body.skip(id + 4),
        0x20 => {
            census.classes += 1;
            body.skip(7 * id + 8)?;
            for _ in 0..body.number(2)? {
                body.skip(2)?;
                body.value()?;
            }
            for _ in 0..body.number(2)? {
                body.skip(id)?;
                body.value()?;
            }
            let fields = body.number(2)? as usize;
            body.skip(fields * (id + 1))
        }
        0x21 => {
            census.instances += 1;
            body.skip(2 * id + 4)?;
            let length = body.number(4)? as usize;
            body.skip(length)
        }
        0x22 => {
            census.object_arrays += 1;
            body.skip(id + 4)?;
            let length = body.number(4)? as usize;
            body.skip(id + length * id)
        }
        0x23 => {
            census.primitive_arrays += 1;
            body.skip(id + 4)?;
            let length = body.number(4)? as usize;
            let size = body.size()?;
            body.skip(length * size)
        }
        tag => Err(format!("sub-record {tag:#x}")),
    }
}

struct Bytes<'d> {
    rest: &'d [u8],
    id: usize,
}

impl<'d> Bytes<'d> {
    fn take(&mut self, length: usize) -> Result<&'d [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or("the dump ends too early")?;
        self.rest = rest;
        Ok(taken)
    }

    fn skip(&mut self, length: usize) -> Result<(), String> {
        self.take(length).map(|_| ())
    }

    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn size(&mut self) -> Result<usize, String> {
        Ok(match self.number(1)? {
            2 => self.id,
            4 | 8 => 1,
            5 | 9 => 2,
            6 | 10 => 4,
            7 | 11 => 8,
            code => return Err(format!("type {code}")),
        })
    }

    fn value(&mut self) -> Result<(), String> {
        let size = self.size()?;
        self.skip(size)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use heapsmith::check::Failures;
    use heapsmith::check::protocol::ObjectCounts;
    use heapsmith::format::Family;
    use heapsmith::{Format, Heap, check_decoder};

    use super::{Census, census};

    fn counts(census: Census) -> ObjectCounts {
        ObjectCounts::default()
            .classes(census.classes)
            .instances(census.instances)
            .object_arrays(census.object_arrays)
            .primitive_arrays(census.primitive_arrays)
    }

    #[test]
    fn dumps_of_hotspot_are_counted_right() -> Result<(), Failures> {
        let checked = check_decoder(|path| census(&fs::read(path).expect("a file")).map(counts))
            .format(Family::HPROF)
            .filter("hotspot")
            .run()?;
        assert!(checked.passed >= 5, "{checked:?}");
        Ok(())
    }

    #[test]
    fn reports_wrong_instance_count() {
        let mistaken = |census: Census| counts(Census { instances: census.instances + 1, ..census });
        let failures = check_decoder(|path| census(&fs::read(path).expect("a file")).map(mistaken))
            .format(Family::HPROF)
            .filter("hprof-hotspot-25-8")
            .run()
            .expect_err("one instance too many");
        assert!(failures.to_string().contains("instances"), "{failures}");
    }

    #[test]
    fn a_random_heap_has_200_objects_and_the_class_objects_of_primitive_types() {
        let census = census(&Heap::random(7).write(Format::HPROF).expect("a dump")).expect("it is valid");
        assert_eq!(census.instances + census.object_arrays + census.primitive_arrays, 200 + 9);
    }
}

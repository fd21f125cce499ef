//! Sources can be sent to another thread.

use heapsmith::classic::lift::ClassicSource;
use heapsmith::error::Error;
use heapsmith::format::{DumpFile, FileSource};
use heapsmith::hprof::ReadOptions;
use heapsmith::hprof::lift::{HprofDump, HprofHeap};
use heapsmith::input::Input;
use heapsmith::model::{Dump, DumpSource, Heap};
use heapsmith::phd::PhdSource;
use heapsmith::{Format, classic, hprof, phd};

/// Does not compile for a type that cannot be sent.
const fn can_be_sent<T: Send>() {}

type Open<D> = fn() -> Result<D, Error>;

const _: () = {
    can_be_sent::<Heap>();
    can_be_sent::<Dump>();
    can_be_sent::<Input>();
    can_be_sent::<DumpFile>();
    can_be_sent::<FileSource>();
    can_be_sent::<PhdSource<Open<phd::Decoder<&'static [u8]>>>>();
    can_be_sent::<HprofDump<Open<hprof::Decoder<&'static [u8]>>>>();
    can_be_sent::<HprofHeap<Open<hprof::Decoder<&'static [u8]>>>>();
    can_be_sent::<ClassicSource<Open<classic::Decoder<&'static [u8]>>>>();
};

#[test]
fn a_dump_is_opened_in_one_thread_and_read_in_another() {
    for format in Format::all() {
        let input =
            Input::from_memory("a dump", Heap::random(7).write(format).expect("every format can hold it").into_bytes());
        let mut source = DumpFile::new(input, ReadOptions::default()).and_then(|file| file.source()).expect("a dump");
        let read = std::thread::spawn(move || Heap::collect(source.heap(0)));
        let count = read.join().expect("no panic").expect("a dump").objects.len();
        // HotSpot's profile makes instances of the class objects of eight primitive types and of void.
        assert_eq!(count, if format == Format::HPROF { 209 } else { 200 }, "{format:?}");
    }
}

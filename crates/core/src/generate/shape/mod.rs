//! Shapes: parts of a heap whose graph is known in advance, of any size. `specs/generator.md` has their definitions.
//!
//! A shape is a row in [`ShapeForm`]'s table and a [`ShapeStructure`](structure::ShapeStructure): its objects by number, and the
//! closed forms of its graph. [`placed`] is such a shape in a heap; the room `placement` gives it addresses and makes
//! objects of it.

mod array;
mod clique;
mod dag;
mod form;
mod leak;
mod list;
pub(super) mod placed;
mod power_law;
pub(super) mod structure;
mod tree;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::draw::Draw;
use crate::error::Error;
use crate::model::{RootForm, RootKind};

use super::numbers::{JOIN, count_text, parse_count};
use form::OBJECTS;
use structure::ShapeStructure;

pub use form::ShapeForm;
pub use placed::PlacedShape;

/// A part of a heap whose graph is known in advance: its form with its sizes, and the root that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The form's place in [`ShapeForm::FORMS`].
    form: usize,
    numbers: [u64; 2],
    /// The place of the root's kind in [`RootKind::FORMS`].
    root: usize,
}

/// The separator between a shape and the kind of its root.
const AT: char = '@';
/// The separator between the numbers of a shape in recipes, where commas separate options.
const COLON: char = ':';

impl Shape {
    /// Parses a shape, such as `tree:2,10` or `list:1e6@java-frame`; the error says what is expected.
    fn read(text: &str) -> Result<Shape, String> {
        let expected = |what: &str| format!("expected {what}, found {text:?}");
        let (shape, root) = text.split_once(AT).map_or((text, None), |(shape, root)| (shape, Some(root)));
        let (name, given) = shape.split_once(COLON).unwrap_or((shape, ""));
        let form = ShapeForm::FORMS.iter().position(|form| form.name == name);
        let form = form.ok_or_else(|| expected(&format!("a shape: {}", ShapeForm::spellings().join(", "))))?;
        let row = &ShapeForm::FORMS[form];
        let given: Option<Vec<u64>> = given.split([',', COLON]).map(parse_count).collect();
        let given = given.filter(|given| given.len() == row.arity() && !given.contains(&0));
        let given = given.ok_or_else(|| {
            let sizes = if row.arity() == 1 { "a count" } else { "counts" };
            expected(&format!("{} with {sizes} from 1 on, such as 1000, 20_000 or 1e6", row.spelling()))
        })?;
        let root = match root {
            None => row.root.index(),
            Some(name) => Shape::roots().position(|root| root == Some(name)).ok_or_else(|| {
                let kinds: Vec<&str> = Shape::roots().flatten().collect();
                expected(&format!("a kind of root after {AT}: {}", kinds.join(", ")))
            })?,
        };
        Ok(Shape { form, numbers: [given[0], given.get(1).copied().unwrap_or_default()], root })
    }

    /// The names of root kinds that can hold a shape, in their places: only threads are roots as threads.
    fn roots() -> impl Iterator<Item = Option<&'static str>> {
        let is_thread = |form: &RootForm| matches!(form.kind, RootKind::ThreadObject(..));
        RootKind::FORMS.iter().map(move |form| (!is_thread(form)).then_some(form.name))
    }

    /// The shape's form.
    pub fn form(&self) -> &'static ShapeForm {
        &ShapeForm::FORMS[self.form]
    }

    /// The values of its parameters.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers[..self.form().arity()]
    }

    /// The kind of root that holds it, with zeros for its numbers.
    pub fn root(&self) -> RootKind {
        RootKind::FORMS[self.root].kind
    }

    /// The number of objects.
    pub fn objects(&self) -> u64 {
        (self.form().objects)(self.numbers).unwrap_or(u64::MAX)
    }

    /// The reason why the shape is too large, and a shape that is not.
    pub(super) fn refusal(&self) -> Option<(String, Shape)> {
        let form = self.form();
        let (mut least, mut of) = (*self, form.parameters.split(','));
        for (number, most) in least.numbers.iter_mut().zip(form.most) {
            let of = of.next().unwrap_or_default();
            if *number > most {
                let found = count_text(*number);
                *number = most;
                return Some((format!("{of} is at most {}, and not {found}", count_text(most)), least));
            }
        }
        (self.objects() > OBJECTS).then(|| {
            let [first, second] = self.numbers;
            let with = |second: u64| Shape { numbers: [first, second], ..*self };
            let (mut fits, mut too_many) = (1, second);
            while too_many - fits > 1 {
                let middle = fits.midpoint(too_many);
                *(if with(middle).objects() > OBJECTS { &mut too_many } else { &mut fits }) = middle;
            }
            let fewer = with(fits);
            (format!("a shape has at most {} objects", count_text(OBJECTS)), fewer)
        })
    }

    pub(super) fn structure(&self) -> Arc<dyn ShapeStructure> {
        (self.form().make)(self.numbers)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers().iter().map(|number| count_text(*number)).collect();
        write!(f, "{}{COLON}{}", self.form().name, numbers.join(&COLON.to_string()))?;
        if self.root != self.form().root.index() {
            write!(f, "{AT}{}", self.root().form().name)?;
        }
        Ok(())
    }
}

/// The shapes of a heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shapes(Vec<Shape>);

impl Shapes {
    /// Parses shapes that are joined by `+`; the error says what is expected.
    pub(super) fn parse(text: &str) -> Result<Shapes, String> {
        text.split(JOIN).map(Shape::read).collect::<Result<Vec<Shape>, String>>().map(Shapes)
    }

    /// Each shape.
    pub fn iter(&self) -> impl Iterator<Item = &Shape> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Draws one or two small shapes.
    pub(super) fn draw(draw: &mut dyn Draw) -> Shapes {
        let roots: Vec<usize> = Shape::roots().enumerate().filter_map(|(place, name)| name.map(|_| place)).collect();
        let shape = |draw: &mut dyn Draw| {
            let form = draw.below(ShapeForm::FORMS.len() as u64) as usize;
            let number = draw.between(1, 12);
            // A tree does not grow beyond 40 objects.
            let numbers = match ShapeForm::FORMS[form].arity() {
                1 => [number, 0],
                _ => [draw.between(1, 3), draw.between(1, 3)],
            };
            Shape { form, numbers, root: *draw.pick(&roots) }
        };
        Shapes((0..draw.between(1, 2)).map(|_| shape(draw)).collect())
    }
}

impl FromStr for Shape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shape, Error> {
        Shape::read(text).map_err(Error::Usage)
    }
}

impl From<Vec<Shape>> for Shapes {
    fn from(shapes: Vec<Shape>) -> Shapes {
        Shapes(shapes)
    }
}

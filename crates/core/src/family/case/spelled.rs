//! Cases that are spelled by hand: the bytes, and the heaps that were worked out of them by hand. They stand in
//! `specs/cases/`, whose README says how the files are read.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::compare::listing;
use crate::model::{Address, Contents, Heap};

use super::world::{JoinedWorld, WorldSheet};
use super::{Case, CaseOrigin, CaseVerdict, Family, REFUSED, RightAnswer, or_refused, repetition};

/// A file of `specs/cases/`.
#[doc(hidden)]
pub struct CaseFile {
    /// Its path below that folder.
    #[doc(hidden)]
    pub path: &'static str,
    #[doc(hidden)]
    pub text: &'static str,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct CaseSheet {
    format: Option<String>,
    facts: Option<String>,
    /// Whether its cases are about large values. That is not shared.
    large: bool,
    /// Whether its cases have no world around them. That is not shared, either.
    bare: bool,
    /// The worlds that are put around cases.
    world: Vec<WorldSheet>,
    counted: Vec<String>,
    pieces: BTreeMap<String, String>,
    texts: BTreeMap<String, String>,
    lines: BTreeMap<String, String>,
    case: Vec<SpelledCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpelledCase {
    id: String,
    summary: String,
    format: Option<String>,
    heap: Option<u64>,
    records: u64,
    bytes: Option<String>,
    text: Option<Vec<String>>,
    #[serde(default)]
    plain_name: bool,
    #[serde(default)]
    bare: bool,
    #[serde(default)]
    keeps: Vec<String>,
    breaks: Option<BrokenRule>,
    #[serde(default)]
    shows: Vec<String>,
    answer: Vec<SpelledAnswer>,
    cut: Option<CutCase>,
}

/// The dump cut inside each of its fields, which follow the marks `|`: a case each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CutCase {
    rule: String,
    /// The thing that is cut, for the summaries.
    of: String,
    /// The names of the fields, for the ids; `-` for one that is not cut, and `+` in front of the first of another record.
    fields: Vec<String>,
    /// The fields whose cut is found where the data end, and not at the field's start.
    #[serde(default)]
    at_end: Vec<String>,
    /// Records in front of the first that is cut.
    records: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BrokenRule {
    rule: String,
    offset: u64,
    /// Further offsets of findings.
    #[serde(default)]
    also: Vec<u64>,
}

/// An answer; without a listing it is a refusal.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpelledAnswer {
    reading: Option<String>,
    facts: Option<String>,
    listing: Option<String>,
    stray: Option<StrayReferences>,
}

/// References of a primitive array, which a broken text may have and a listing leaves out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrayReferences {
    array: u64,
    to: Vec<u64>,
}

/// The cases of some files, of which the first has what they share. An error names the file and the case.
#[doc(hidden)]
pub fn read_spelled_cases(family: Family, sources: &[CaseFile]) -> Result<Vec<Case>, String> {
    let (mut cases, mut shared) = (Vec::new(), CaseSheet::default());
    for source in sources {
        let wrong = |message| format!("specs/cases/{}: {message}", source.path);
        let mut sheet: CaseSheet = toml::from_str(source.text).map_err(|e| wrong(e.to_string()))?;
        let spelled = std::mem::take(&mut sheet.case);
        let known = sheet.merge_shared(&shared);
        for case in spelled {
            let id = case.id.clone();
            cases.extend(case.cases(family, &known).map_err(|message| wrong(format!("{id}: {message}")))?);
        }
        if cases.is_empty() {
            shared = known;
        }
    }
    Ok(cases)
}

impl CaseSheet {
    /// The sheet with the parts of a shared file that it does not have itself.
    fn merge_shared(mut self, shared: &CaseSheet) -> CaseSheet {
        self.format = self.format.or(shared.format.clone());
        self.facts = self.facts.or(shared.facts.clone());
        self.counted.extend(shared.counted.iter().cloned());
        self.world.extend(shared.world.iter().cloned());
        for (own, shared) in
            [(&mut self.pieces, &shared.pieces), (&mut self.texts, &shared.texts), (&mut self.lines, &shared.lines)]
        {
            for (name, text) in shared {
                own.entry(name.clone()).or_insert_with(|| text.clone());
            }
        }
        self
    }

    /// The bytes that a word stands for: hexadecimal digits or a piece, either of them several times, or numbers in a row.
    fn word(&self, word: &str) -> Result<Vec<u8>, String> {
        if let Some((word, count)) = word.rsplit_once('*') {
            return Ok(self.word(word)?.repeat(repetition::count(count)?));
        }
        if let Some(row) = repetition::row(word)? {
            return Ok(row.map(|number| self.word(&number)).collect::<Result<Vec<_>, _>>()?.concat());
        }
        if let Some(name) = word.strip_prefix('@') {
            return match (self.pieces.get(name), self.texts.get(name)) {
                (Some(hex), _) => self.bytes(hex),
                (None, Some(text)) => Ok(text.clone().into_bytes()),
                (None, None) => Err(format!("there is no piece {word}")),
            };
        }
        let digits: Option<Vec<u8>> = word.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        let digits = digits.filter(|digits| digits.len() % 2 == 0);
        let digits = digits.ok_or_else(|| format!("{word:?} is neither pairs of hexadecimal digits nor a @piece"))?;
        Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
    }

    /// Words on lines, each of which may end with a comment.
    fn bytes(&self, text: &str) -> Result<Vec<u8>, String> {
        Ok(self.fields_of_bytes(text)?.concat())
    }

    /// The bytes of words, in parts that follow the marks `|`.
    fn fields_of_bytes(&self, text: &str) -> Result<Vec<Vec<u8>>, String> {
        let words = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
        fields(words, |word| self.word(word))
    }

    /// Texts and pieces, in parts that follow the marks `|`.
    fn fields_of_text(&self, parts: &[String]) -> Result<Vec<Vec<u8>>, String> {
        fields(parts.iter().map(String::as_str), |part| {
            if part.starts_with('@') { self.word(part) } else { Ok(repetition::spread(part)?.into_bytes()) }
        })
    }

    /// The lines of a listing after the first.
    fn lines(&self, listing: &str) -> Result<Vec<String>, String> {
        let named = |line: &str| match line.strip_prefix('@') {
            Some(name) => self.lines.get(name).cloned().ok_or_else(|| format!("there is no line {line}")),
            None => repetition::spread(line),
        };
        listing.lines().map(named).collect()
    }

    /// The heap of a listing, whose first line is made of the facts and the numbers of lines.
    fn heap(&self, facts: Option<&str>, lines: Vec<String>) -> Result<Heap, String> {
        let mut head = Map::from_iter([("listing".to_owned(), Value::from(1))]);
        for facts in [self.facts.as_deref(), facts].into_iter().flatten() {
            let facts = repetition::spread(facts)?;
            head.extend(serde_json::from_str::<Map<String, Value>>(&facts).map_err(|e| format!("facts: {e}"))?);
        }
        for kind in &self.counted {
            let key = format!("\"kind\":\"{}\"", kind.trim_end_matches('s'));
            head.insert(kind.clone(), lines.iter().filter(|line| line.contains(&key)).count().into());
        }
        let text = [vec![Value::from(head).to_string()], lines].concat().join("\n");
        Ok(listing::read(BufReader::new(text.as_bytes())).map_err(|e| e.to_string())?.heap)
    }

    /// The world around a dump; none where the files have no worlds, or the case is bare.
    fn world(&self, family: Family, case: &SpelledCase, dump: &[u8]) -> Result<Option<JoinedWorld>, String> {
        if self.world.is_empty() || self.bare || case.bare {
            return Ok(None);
        }
        let listing = case.answer.iter().find_map(|answer| answer.listing.as_deref());
        let listing = self.lines(listing.unwrap_or_default())?;
        let join = family.world_join();
        let layout = (join.layout)(dump).ok_or("no world has the layout of the dump: the case is bare")?;
        let world = self.world.iter().find(|world| world.fits(layout, &listing));
        let world = world.ok_or_else(|| format!("there is no world for dumps of {layout}: the case is bare"))?;
        world.join(dump, &listing, join, |words| self.record(words)).map(Some)
    }

    /// A record of a world: words, or a text with its line ends.
    fn record(&self, words: &str) -> Result<Vec<u8>, String> {
        if words.ends_with('\n') { Ok(words.as_bytes().to_vec()) } else { self.bytes(words) }
    }
}

/// Parts that follow the marks `|`.
fn fields<'a>(
    words: impl Iterator<Item = &'a str>,
    mut read: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Vec<u8>>, String> {
    let mut fields = vec![Vec::new()];
    for word in words {
        match (word, fields.last_mut()) {
            ("|", _) => fields.push(Vec::new()),
            (word, Some(field)) => field.extend(read(word)?),
            (_, None) => {}
        }
    }
    Ok(fields)
}

impl SpelledCase {
    /// The case, and those of the same dump cut inside its fields.
    fn cases(mut self, family: Family, sheet: &CaseSheet) -> Result<Vec<Case>, String> {
        let (cut, summary) = (self.cut.take(), self.summary.clone());
        let fields = match (&self.bytes, &self.text) {
            (Some(bytes), None) => sheet.fields_of_bytes(bytes)?,
            (None, Some(parts)) => sheet.fields_of_text(parts)?,
            _ => return Err("a case has either bytes or a text".to_owned()),
        };
        let own = fields.concat();
        let world = sheet.world(family, &self, &own)?;
        let whole = self.case(family, sheet, own, world.as_ref())?;
        let placed = |offset: usize| world.as_ref().map_or(offset, |world| world.dump_offset(offset));
        let put = |offset: usize| world.as_ref().map_or(0, |world| world.records_in_front_of(offset));
        let mut cases = vec![whole];
        let Some(cut) = cut else {
            return if fields.len() == 1 { Ok(cases) } else { Err("there are marks and no cut".to_owned()) };
        };
        if cut.fields.len() + 1 != fields.len() {
            return Err(format!("{} names for {} marks", cut.fields.len(), fields.len() - 1));
        }
        let rule = rule_id(family, &cut.rule)?;
        let (mut start, mut records) = (fields[0].len(), cut.records);
        for (name, field) in cut.fields.iter().zip(&fields[1..]) {
            let (of, whole) = (&cut.of, &cases[0]);
            let name = name.strip_prefix('+').inspect(|_| records += 1).unwrap_or(name);
            if name != "-" {
                let end = placed(start + field.len() / 2);
                let found_at = if cut.at_end.iter().any(|at_end| at_end == name) { end } else { placed(start) };
                let case = Case {
                    id: format!("{}-cut-{}", whole.id, name.replace(' ', "-")),
                    summary: format!("{of}, cut inside: {name}"),
                    recipe: format!("{summary}; its first bytes alone"),
                    bytes: whole.bytes[..end].to_vec(),
                    verdict: CaseVerdict::Invalid,
                    keeps: Vec::new(),
                    breaks: Some((rule, found_at as u64)),
                    breaks_also: Vec::new(),
                    shows: Vec::new(),
                    is_large: false,
                    records_due: records + put(start),
                    answers: vec![RightAnswer::Refuses(REFUSED)],
                    ..whole.clone()
                };
                cases.push(case);
            }
            start += field.len();
        }
        Ok(cases)
    }

    fn case(
        self,
        family: Family,
        sheet: &CaseSheet,
        own: Vec<u8>,
        world: Option<&JoinedWorld>,
    ) -> Result<Case, String> {
        let format = self.format.as_ref().or(sheet.format.as_ref()).ok_or("a case has a format")?;
        let known = family.formats().find(|known| known.to_string() == *format);
        let format = known.ok_or_else(|| format!("{format} is not a format of {family}"))?;
        let heap = self.heap.unwrap_or_default();
        let answers = self.answer.into_iter().map(|answer| answer.answer(sheet, world, heap));
        let mut answers = answers.collect::<Result<Vec<_>, _>>()?;
        let broken = self.breaks.as_ref().and_then(|broken| family.book().rule(&broken.rule));
        // Where reading stops, the world after that place is not read.
        let stop = self.breaks.as_ref().filter(|_| broken.is_some_and(|rule| rule.stops)).map(|broken| broken.offset);
        let stop = stop.map_or(own.len(), |offset| offset as usize);
        let put = world.map_or(0, |world| world.records_in_front_of(stop));
        let placed = |offset: u64| world.map_or(offset, |world| world.dump_offset(offset as usize) as u64);
        or_refused(broken, &mut answers);
        Ok(Case {
            id: self.id,
            summary: self.summary,
            kind: CaseOrigin::Spelled,
            format,
            heap: self.heap,
            recipe: "spelled by hand".to_owned(),
            bytes: world.map_or(own, |world| world.dump.bytes.clone()),
            plain_name: self.plain_name,
            is_large: sheet.large,
            is_bare: self.bare || sheet.bare,
            breaks_also: self.breaks.iter().flat_map(|broken| &broken.also).map(|offset| placed(*offset)).collect(),
            verdict: CaseVerdict::from_answers(&answers),
            keeps: rules(family, &self.keeps)?,
            breaks: self
                .breaks
                .map(|broken| Ok::<_, String>((rule_id(family, &broken.rule)?, placed(broken.offset))))
                .transpose()?,
            shows: rules(family, &self.shows)?,
            records_due: self.records + put,
            answers,
        })
    }
}

impl SpelledAnswer {
    fn answer(self, sheet: &CaseSheet, world: Option<&JoinedWorld>, heap: u64) -> Result<RightAnswer, String> {
        // Readings are static where they are code; these are made once, and kept as long.
        let reading = self.reading.map(|reading| &*reading.leak());
        Ok(match self.listing {
            None => RightAnswer::Refuses(reading.unwrap_or(REFUSED)),
            Some(lines) => {
                let own = sheet.lines(&lines)?;
                let lines = world.map_or_else(|| Ok(own.clone()), |world| world.listing(&own, heap, reading))?;
                let mut heap = sheet.heap(self.facts.as_deref(), lines)?;
                if let Some(StrayReferences { array, to }) = self.stray {
                    let found = heap.objects.iter_mut().find(|object| object.address.0 == array);
                    let array = found.ok_or_else(|| format!("stray: there is no object at {array:#x}"))?;
                    array.contents = Contents::References(to.into_iter().map(Address).collect());
                }
                RightAnswer::Reads(reading.unwrap_or("as written"), Arc::new(heap))
            }
        })
    }
}

fn rules(family: Family, ids: &[String]) -> Result<Vec<&'static str>, String> {
    ids.iter().map(|rule| rule_id(family, rule)).collect()
}

pub(super) fn rule_id(family: Family, name: &str) -> Result<&'static str, String> {
    family.book().rule(name).map(|rule| rule.id).ok_or_else(|| format!("there is no rule {name}"))
}

package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf16"
)

// The example. A layout has a digit for a number with that many bytes, and i for an identifier.

// recordLayout is that of a record, and of what comes as often as its last number says.
type recordLayout struct{ once, repeated string }

var records = map[uint64]recordLayout{
	3: {"4", ""}, 4: {"iiii44", ""}, 5: {"444", "i"}, 6: {"2444884", "1444444"}, 7: {"4488", ""}, 10: {"4i4iii", ""},
	11: {"4", ""}, 13: {"44", "44"}, 14: {"42", ""},
}

var roots = map[uint64]string{
	0x01: "ii", 0x02: "i44", 0x03: "i44", 0x04: "i4", 0x05: "i", 0x06: "i4", 0x07: "i", 0x08: "i44", 0x89: "i", 0x8a: "i",
	0x8b: "i", 0x8c: "i", 0x8d: "i", 0x8e: "i44", 0x90: "i", 0xfe: "4i", 0xff: "i",
}

// valueType is the type of a value: its name in a listing, and its layout.
type valueType struct {
	name   string
	layout rune
}

var types = map[uint64]valueType{
	2: {"object", 'i'}, 4: {"boolean", '1'}, 5: {"char", '2'}, 6: {"float", '4'}, 7: {"double", '8'}, 8: {"byte", '1'},
	9: {"short", '2'}, 10: {"int", '4'}, 11: {"long", '8'},
}

// class is what a class says of its instances.
type class struct {
	super  uint64
	fields []valueType
}

// instance is a line whose values have to wait: its class and superclasses may follow it.
type instance struct {
	line       object
	own        uint64
	start, end int
}

type hprofReader struct {
	data            []byte
	at, end, idSize int
	lines           []object
	texts           map[uint64]any    // of STRING records, by identifier
	names           map[string]uint64 // identifiers of texts, by the class's address
	classes         map[uint64]class
	instances       []instance
}

var header = regexp.MustCompile(`(?s)^JAVA PROFILE 1\.0\.[123]\x00{4}[\x01\x02\x04\x08]`)

// readHprof gives the lines of a dump's listing. Methods of the reader panic with a Refusal, which ends here.
func readHprof(data []byte) (lines []object, err error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return nil, Skip("this parser reads no gzip")
	}
	if len(data) < 31 || !header.Match(data) {
		return nil, &Refusal{"no HPROF header", 0}
	}
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case *Refusal:
			lines, err = nil, failure
		default:
			panic(failure)
		}
	}()
	reader := hprofReader{
		data: data, at: 31, end: len(data), idSize: int(data[22]), texts: map[uint64]any{}, names: map[string]uint64{},
		classes: map[uint64]class{},
	}
	for reader.at < len(data) {
		reader.record()
	}
	for _, line := range reader.lines {
		if name, isNamed := reader.names[line["address"].(string)]; isNamed && line["kind"] == "class" {
			line["name"] = reader.texts[name]
		}
	}
	for _, instance := range reader.instances {
		instance.line["values"] = reader.values(instance)
	}
	return append([]object{{"listing": 1}}, reader.lines...), nil
}

func (reader *hprofReader) record() {
	start := reader.at
	head := reader.read("144")
	tag, end := head[0], reader.at+int(head[2])
	if end > len(reader.data) {
		panic(&Refusal{"the file ends within a record", start})
	}
	reader.end = end
	layout, isKnown := records[tag]
	switch {
	case tag == 0x01:
		name := reader.number('i')
		reader.texts[name] = text(reader.take(reader.end - reader.at))
	case tag == 0x02:
		numbers := reader.read("4i4i")
		reader.names[hexadecimal(numbers[1])] = numbers[3]
	case tag == 0x0c || tag == 0x1c:
		for reader.at < reader.end {
			reader.subRecord()
		}
	case isKnown:
		numbers, size := reader.read(layout.once), 0
		for _, field := range layout.repeated {
			size += reader.width(field)
		}
		reader.take(int(numbers[len(numbers)-1]) * size)
	}
	reader.at, reader.end = end, len(reader.data)
}

func (reader *hprofReader) subRecord() {
	tag := reader.number('1')
	switch tag {
	case 0x20:
		numbers := reader.read("i4iiiiii4")
		address, own := numbers[0], class{super: numbers[2]}
		for _, key := range "2i" { // the constant pool, then the static fields
			for left := reader.number('2'); left > 0; left-- {
				reader.number(key)
				reader.number(reader.valueType().layout)
			}
		}
		for left := reader.number('2'); left > 0; left-- {
			reader.number('i')
			own.fields = append(own.fields, reader.valueType())
		}
		reader.classes[address] = own
		reader.add("class", address, object{"super": hexadecimal(own.super)})
	case 0x21:
		numbers := reader.read("i4i4")
		start := reader.at
		reader.take(int(numbers[3]))
		line := reader.add("object", numbers[0], object{"class": hexadecimal(numbers[2])})
		reader.instances = append(reader.instances, instance{line, numbers[2], start, reader.at})
	case 0x22:
		numbers := reader.read("i44i")
		elements := []string{}
		for left := numbers[2]; left > 0; left-- {
			elements = append(elements, hexadecimal(reader.number('i')))
		}
		reader.add("object-array", numbers[0], object{
			"array_class": hexadecimal(numbers[3]), "length": numbers[2], "elements": elements,
		})
	case 0x23, 0xc3:
		numbers := reader.read("i44")
		element := reader.valueType()
		if element.name == "object" {
			panic(reader.unknown())
		}
		line := reader.add("primitive-array", numbers[0], object{"element": element.name, "length": numbers[2]})
		if tag == 0x23 { // Android leaves some contents out
			line["contents"] = hex.EncodeToString(reader.take(int(numbers[2]) * reader.width(element.layout)))
		}
	default:
		layout, isRoot := roots[tag]
		if !isRoot {
			panic(reader.unknown())
		}
		reader.read(layout)
	}
}

func (reader *hprofReader) add(kind string, address uint64, line object) object {
	line["kind"], line["address"] = kind, hexadecimal(address)
	reader.lines = append(reader.lines, line)
	return line
}

// values gives those of an instance's fields: its class's own first, then those of each superclass.
func (reader *hprofReader) values(of instance) [][]string {
	owners, next := []class{}, of.own
	for owner, isThere := reader.classes[next]; isThere && len(owners) < len(reader.classes); owner, isThere = reader.classes[next] {
		owners, next = append(owners, owner), owner.super
	}
	if next != 0 {
		panic(&Refusal{fmt.Sprintf("the superclasses of %#x have no end, or one is missing", of.own), of.start})
	}
	reader.at, reader.end = of.start, of.end
	values := [][]string{}
	for _, owner := range owners {
		for _, field := range owner.fields {
			values = append(values, []string{field.name, hexadecimal(reader.number(field.layout))})
		}
	}
	if reader.at < reader.end {
		panic(&Refusal{fmt.Sprintf("the object %v has more bytes than its fields", of.line["address"]), reader.at})
	}
	return values
}

func (reader *hprofReader) valueType() valueType {
	known, isKnown := types[reader.number('1')]
	if !isKnown {
		panic(reader.unknown())
	}
	return known
}

// unknown is the refusal of the byte that was read last.
func (reader *hprofReader) unknown() *Refusal {
	return &Refusal{fmt.Sprintf("%#x is unknown", reader.data[reader.at-1]), reader.at - 1}
}

func (reader *hprofReader) read(layout string) []uint64 {
	numbers := make([]uint64, 0, len(layout))
	for _, field := range layout {
		numbers = append(numbers, reader.number(field))
	}
	return numbers
}

func (reader *hprofReader) number(field rune) uint64 {
	number := uint64(0)
	for _, digit := range reader.take(reader.width(field)) {
		number = number<<8 | uint64(digit)
	}
	return number
}

func (reader *hprofReader) width(field rune) int {
	if field == 'i' {
		return reader.idSize
	}
	return int(field - '0')
}

func (reader *hprofReader) take(count int) []byte {
	if count > reader.end-reader.at {
		panic(&Refusal{fmt.Sprintf("what ends at %d is shorter than it says", reader.end), reader.at})
	}
	reader.at += count
	return reader.data[reader.at-count : reader.at]
}

func hexadecimal(bits uint64) string { return fmt.Sprintf("%#x", bits) }

// text is a name of modified UTF-8, or its bytes where they are no such text.
func text(encoded []byte) any {
	units := codeUnits(encoded)
	decoded := utf16.Decode(units)
	// A lone surrogate has become another character.
	if units == nil || !slices.Equal(utf16.Encode(decoded), units) {
		return object{"bytes": hex.EncodeToString(encoded)}
	}
	return string(decoded)
}

// codeUnits gives those of UTF-16, or nil.
func codeUnits(encoded []byte) []uint16 {
	units := []uint16{}
	for at := 0; at < len(encoded); {
		first, size := encoded[at], 0
		unit, least := uint16(first), uint16(1)
		switch {
		case first < 0x80:
			size = 1
		case first>>5 == 0b110:
			size, unit, least = 2, uint16(first&0x1f), 0x80
		case first>>4 == 0b1110:
			size, unit, least = 3, uint16(first&0x0f), 0x800
		}
		if size == 0 || at+size > len(encoded) {
			return nil
		}
		for _, next := range encoded[at+1 : at+size] {
			if next>>6 != 0b10 {
				return nil
			}
			unit = unit<<6 | uint16(next&0x3f)
		}
		if unit < least && !(size == 2 && unit == 0) { // longer than it need be
			return nil
		}
		units = append(units, unit)
		at += size
	}
	return units
}

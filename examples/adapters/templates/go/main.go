// Connects a parser of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy.
//
// Three places are yours: hello says what your parser reports, isRefusal how it refuses a dump, and parse calls it. answer and
// main serve the protocol. The rest, hprof.go, is an example, a small parser of HPROF; throw it away.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// object is an object of JSON: a line of a listing, or an answer.
type object = map[string]any

// facets are required: where a dump has the fact, the listing must have it. Begin with few.
var facets = []string{
	"address", "kind", "class-name", "superclass", "class", "array-length", "field-values", "elements", "references",
	"primitive-contents", "record-order",
	// "string-text": the text of a java.lang.String, if your parser works it out: "text": "abc" in the line of the object.
}

func hello(protocol int) object {
	return object{
		"protocol": protocol, "name": "template", "version": "1", "language": "Go", "reads": []string{"hprof"},
		"levels": []string{"listing"}, "facets": facets,
		// What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of dumps of
		// gigabytes without it: declare it if your parser does not hold such a dump. The example holds it whole.
		"omits": []string{},
		// What your parser makes of bytes that can be read in several ways; these are the defaults.
		"readings": object{"hprof.array-class": "array", "hprof.repeated-string": "last"},
		// Defaults, too. "0/1": every boolean but 0 is reported as 1. "text": bytes of names that are not valid text are
		// replaced. "classes": there are lines of classes without a record. true: see parse. `heapsmith adapter readings`
		// lists more.
		"booleans": "bytes", "names": "bytes", "makes_up": []string{}, "heaps": false,
	}
}

// isRefusal says by which errors your parser refuses a dump, as it documents it: add such as
// errors.Is(err, io.ErrUnexpectedEOF).
func isRefusal(err error) bool {
	var refusal *Refusal
	return errors.As(err, &refusal)
}

// offsetInMessage is where the messages of refusals have the offset of the bad bytes: with it, the report names the rule that
// the dump breaks.
var offsetInMessage = regexp.MustCompile(`(?i)\b(?:at|offset)[ =]+(0x[0-9a-f]+|\d+)`)

// counts has, by facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing.
var counts = map[string]string{
	"roots": "roots", "root-objects": "roots", "threads": "threads", "stack-traces": "traces", "regions": "regions",
	"events": "events",
}

// warnings go into the answer: what your parser reports as wrong with a dump although it goes on.
var warnings []string

// Refusal says that the parser does not take this dump.
type Refusal struct {
	Message string
	Offset  int // of the bytes; negative if it is not known
}

func (refusal *Refusal) Error() string { return refusal.Message }

// Skip says why this dump cannot be put to the parser.
type Skip string

func (skip Skip) Error() string { return string(skip) }

// YOUR PARSER GOES HERE. parse returns the lines of the dump's listing, the head first (specs/listing.md).
//
// Of a dump with several heaps, heap is the index of the one to read. It is nil without "heaps": true above. omits has facets
// of "omits" above that the lines are not to have: do not read them.
// Return a Refusal where your parser says, as it documents it, that a dump is bad, with the offset of the bytes if it knows
// them; errors that isRefusal knows are taken as such. Every other error is reported as a crash of the parser. Do not recover
// from panics: one ends the process, and that is reported as a crash, too.
func parse(path string, heap *int, omits []string) ([]object, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return readHprof(data) // or, with heaps: the heap with this index
}

// request is what the runner asks.
type request struct {
	ID        json.RawMessage `json:"id"`
	Op        string          `json:"op"`
	Protocols []int           `json:"protocols"`
	Path      string          `json:"path"`
	Heap      *int            `json:"heap"`
	Omits     []string        `json:"omits"`
	Out       string          `json:"out"`
}

// answer is what is answered to a request, without its id.
func answer(asked request) object {
	if asked.Op == "hello" {
		for _, protocol := range []int{2, 1} {
			if slices.Contains(asked.Protocols, protocol) {
				return hello(protocol)
			}
		}
	}
	if asked.Op != "parse" {
		return object{"status": "error", "message": "this adapter does not know " + asked.Op}
	}
	warnings = nil
	lines, err := parse(asked.Path, asked.Heap, asked.Omits)
	if err == nil {
		err = writeListing(lines, asked)
	}
	var skip Skip
	var failure *fs.PathError
	switch {
	case err == nil && len(warnings) > 0:
		return object{"status": "accept", "warnings": warnings}
	case err == nil:
		return object{"status": "accept"}
	case errors.As(err, &skip):
		return object{"status": "skip", "reason": err.Error()}
	case isRefusal(err):
		return reject(err)
	case errors.As(err, &failure): // of the adapter, not of the parser
		return object{"status": "error", "message": err.Error()}
	default:
		return object{"status": "crash", "message": fmt.Sprintf("%T: %v", err, err)}
	}
}

func reject(err error) object {
	rejected := object{"status": "reject", "message": err.Error()}
	var refusal *Refusal
	if errors.As(err, &refusal) && refusal.Offset >= 0 {
		rejected["offset"] = refusal.Offset
	} else if place := offsetInMessage.FindStringSubmatch(err.Error()); place != nil {
		if offset, err := strconv.ParseUint(place[1], 0, 63); err == nil {
			rejected["offset"] = offset
		}
	}
	return rejected
}

// writeListing writes the lines to the file that the runner reads. The head says how many there are and what is left out.
func writeListing(lines []object, asked request) error {
	head, lines := lines[0], lines[1:]
	for facet, key := range counts {
		if _, isStated := head[key]; slices.Contains(facets, facet) && !isStated {
			count := 0
			for _, line := range lines {
				if line["kind"].(string)+"s" == key {
					count++
				}
			}
			head[key] = count
		}
	}
	if len(asked.Omits) > 0 {
		head["omits"] = asked.Omits
	}
	file, err := os.Create(asked.Out)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	encoder := json.NewEncoder(buffered) // ends each line
	for _, line := range append([]object{head}, lines...) {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func main() {
	// Standard output is for answers alone. Whatever else prints there gets standard error.
	answers := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr
	for requests := json.NewDecoder(os.Stdin); ; {
		var asked request
		if err := requests.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		answered := answer(asked)
		answered["id"] = asked.ID
		if err := answers.Encode(answered); err != nil {
			panic(err)
		}
	}
}

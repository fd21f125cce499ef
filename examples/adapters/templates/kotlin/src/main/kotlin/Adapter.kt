// Connects a parser of heap dumps to heapsmith's adapter protocol (specs/adapter.md): a template to copy.
//
// Three places are yours: HELLO says what your parser reports, REFUSALS how it refuses a dump, and parse calls it. answer and
// main serve the protocol. Of the rest, Hprof.kt is an example, a small parser of HPROF; throw it away.

import java.io.FileDescriptor
import java.io.FileOutputStream
import java.io.IOException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readBytes
import kotlin.io.path.writeLines
import kotlin.reflect.KClass

/** A line of a listing. */
typealias Line = MutableMap<String, Any?>

/** These facets are required: where a dump has the fact, the listing must have it. Begin with few. */
val FACETS = listOf(
    "address", "kind", "class-name", "superclass", "class", "array-length", "field-values", "elements", "references",
    "primitive-contents", "record-order",
    // "string-text": the text of a java.lang.String, if your parser works it out: "text" to "abc" in the line of the object.
)
val HELLO = mapOf(
    "name" to "template", "version" to "1", "language" to "Kotlin", "reads" to listOf("hprof"),
    "levels" to listOf("listing"), "facets" to FACETS,
    // What a listing can leave out, such as "primitive-contents". `check --large` then asks for listings of dumps of gigabytes
    // without it: declare it if your parser does not hold such a dump. The example holds it whole.
    "omits" to emptyList<String>(),
    // What your parser makes of bytes that can be read in several ways; these are the defaults.
    "readings" to mapOf("hprof.array-class" to "array", "hprof.repeated-string" to "last"),
    // Defaults, too. "0/1": every boolean but 0 is reported as 1. "text": bytes of names that are not valid text are replaced.
    // "classes": there are lines of classes without a record. true: see parse. `heapsmith adapter readings` lists more.
    "booleans" to "bytes", "names" to "bytes", "makes_up" to emptyList<String>(), "heaps" to false,
)

/** Classes of exceptions by which your parser refuses a dump, as it documents it, such as EOFException::class. */
val REFUSALS = listOf<KClass<out Exception>>()

/** Where messages have the offset of the bad bytes: with it, the report names the rule that the dump breaks. */
val OFFSET = Regex("""\b(?:at|offset)[ =]+(?:0x([0-9a-f]{1,15})|(\d{1,18}))\b""", RegexOption.IGNORE_CASE)

/** By facet, the key of the head with the number of its lines: 0 says that there are none, and no key says nothing. */
val COUNTS = mapOf(
    "roots" to "roots", "root-objects" to "roots", "threads" to "threads", "stack-traces" to "traces",
    "regions" to "regions", "events" to "events",
)

/** Texts that go into the answer: what your parser reports as wrong with a dump although it goes on. */
val WARNINGS = mutableListOf<String>()

/** The parser does not take this dump: a message, and the offset of the bytes, if known. */
class Refusal(message: String, val offset: Long? = null) : Exception(message)

/** This dump cannot be put to the parser; the text says why. */
class Skip(reason: String) : Exception(reason)

/**
 * YOUR PARSER GOES HERE. Returns the lines of the dump's listing, the head first (specs/listing.md).
 *
 * Of a dump with several heaps, [heap] is the index of the one to read. It is null without "heaps" to true above. [omits] has
 * facets of "omits" above that the lines are not to have: do not read them.
 * Throw a [Refusal] where your parser says, as it documents it, that a dump is bad, with the offset of the bytes if it knows
 * them; exceptions of [REFUSALS] are taken as such. Let every other one through: it is reported as a crash of the parser.
 */
fun parse(path: Path, heap: Int?, omits: List<String>): List<Line> =
    HprofReader(path.readBytes()).listing() // or, with heaps: yourParser(path).heaps[heap ?: 0]

/** What is answered to a request, without its id. */
fun answer(request: Map<*, *>): Map<String, Any?> {
    if (request["op"] == "hello") {
        val offered = (request["protocols"] as List<*>).map { "$it" }
        val protocol = listOf(2, 1).find { "$it" in offered }
        if (protocol != null) return mapOf("protocol" to protocol) + HELLO
    }
    if (request["op"] != "parse") {
        return mapOf("status" to "error", "message" to "this adapter does not know ${request["op"]}")
    }
    WARNINGS.clear()
    return try {
        list(request)
        mapOf("status" to "accept") + if (WARNINGS.isEmpty()) emptyMap() else mapOf("warnings" to WARNINGS)
    } catch (skip: Skip) {
        mapOf("status" to "skip", "reason" to skip.message)
    } catch (failure: Exception) {
        when {
            failure is Refusal || REFUSALS.any { it.isInstance(failure) } -> reject(failure)
            // Of the adapter, not of the parser.
            failure is IOException -> mapOf("status" to "error", "message" to "$failure")
            // A crash of the parser; throw it again to end the process, as it should if the parser keeps state.
            else -> mapOf("status" to "crash", "message" to failure.stackTraceToString())
        }
    }
}

private fun reject(refusal: Exception): Map<String, Any?> {
    val message = if (refusal is Refusal) refusal.message else "$refusal"
    val place = OFFSET.find("$message")?.groupValues
    val inMessage = place?.let { (_, digits, number) -> if (number.isEmpty()) digits.toLong(16) else number.toLong() }
    return mapOf("status" to "reject", "message" to message, "offset" to ((refusal as? Refusal)?.offset ?: inMessage))
}

/** Writes the listing, whose head says how many lines there are and what is left out. */
private fun list(request: Map<*, *>) {
    val omits = (request["omits"] as List<*>? ?: emptyList<String>()).map { "$it" }
    val parsed = parse(Path(request["path"] as String), (request["heap"] as Number?)?.toInt(), omits)
    val (head, lines) = parsed.first() to parsed.drop(1)
    for ((facet, key) in COUNTS) {
        if (facet in FACETS && key !in head) head[key] = lines.count { "${it["kind"]}s" == key }
    }
    if (omits.isNotEmpty()) head["omits"] = omits
    Path(request["out"] as String).writeLines((sequenceOf(head) + lines).map(::toJson))
}

fun main() {
    // Standard output is for answers alone. Whatever else prints there gets standard error.
    val answers = FileOutputStream(FileDescriptor.out).bufferedWriter()
    System.setOut(System.err)
    try {
        for (line in System.`in`.bufferedReader().lineSequence()) {
            val request = fromJson(line) as Map<*, *>
            answers.write(toJson(mapOf("id" to request["id"]) + answer(request)) + "\n")
            answers.flush()
        }
    } catch (failure: Throwable) {
        failure.printStackTrace()
        Runtime.getRuntime().halt(134) // not exit: what the parser has started could hold that up
    }
    System.exit(0)
}

private val TOKEN = Regex("""[{}\[\]]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[-+.\w]+""")
private val ESCAPE = Regex("""\\(?:u(.{4})|(.))""")

/** What well-formed JSON stands for: a Map, List, String, Boolean, null, BigInteger or BigDecimal, all exact. */
fun fromJson(json: String): Any? {
    val tokens = TOKEN.findAll(json).map { it.value }.iterator()
    fun value(token: String): Any? {
        fun items(end: String) = generateSequence { tokens.next().takeIf { it != end } }.map(::value).toList()
        return when {
            token == "{" -> items("}").chunked(2).associate { (key, value) -> key to value }
            token == "[" -> items("]")
            token.startsWith('"') -> ESCAPE.replace(token.drop(1).dropLast(1)) { escape ->
                val (digits, letter) = escape.destructured
                val plain = if (letter.isEmpty()) digits.toInt(16).toChar() else "\b\u000c\n\r\t\"\\/"["bfnrt\"\\/".indexOf(letter)]
                "$plain"
            }
            token == "null" -> null
            token == "true" || token == "false" -> token.toBoolean()
            // Not Long or Double: identifiers and counts may have 64 bits, without a sign.
            else -> token.toBigIntegerOrNull() ?: token.toBigDecimal()
        }
    }
    return value(tokens.next())
}

fun toJson(value: Any?): String = when (value) {
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (key, item) -> "${toJson(key)}:${toJson(item)}" }
    is List<*> -> value.joinToString(",", "[", "]", transform = ::toJson)
    is String -> value.asIterable().joinToString("", "\"", "\"") { c ->
        if (c in ' '..'~' && c != '"' && c != '\\') "$c" else "\\u%04x".format(c.code)
    }
    else -> "$value"
}

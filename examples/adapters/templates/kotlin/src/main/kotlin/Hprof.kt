// The example. A layout has a digit for a number with that many bytes, and i for an identifier.

/** The layout of a record, and of what comes as often as its last number says. */
private class RecordLayout(val once: String, val repeated: String = "")

private val RECORDS = mapOf(
    3 to RecordLayout("4"), 4 to RecordLayout("iiii44"), 5 to RecordLayout("444", "i"), 6 to RecordLayout("2444884", "1444444"),
    7 to RecordLayout("4488"), 10 to RecordLayout("4i4iii"), 11 to RecordLayout("4"), 13 to RecordLayout("44", "44"),
    14 to RecordLayout("42"),
)
private val ROOTS = mapOf(
    0x01 to "ii", 0x02 to "i44", 0x03 to "i44", 0x04 to "i4", 0x05 to "i", 0x06 to "i4", 0x07 to "i", 0x08 to "i44",
    0x89 to "i", 0x8a to "i", 0x8b to "i", 0x8c to "i", 0x8d to "i", 0x8e to "i44", 0x90 to "i", 0xfe to "4i", 0xff to "i",
)

/** The type of a value: its name in a listing, and its layout. */
private class ValueType(val name: String, val layout: Char)

private val ELEMENTS = mapOf(
    4 to ValueType("boolean", '1'), 5 to ValueType("char", '2'), 6 to ValueType("float", '4'), 7 to ValueType("double", '8'),
    8 to ValueType("byte", '1'), 9 to ValueType("short", '2'), 10 to ValueType("int", '4'), 11 to ValueType("long", '8'),
)
private val TYPES = ELEMENTS + (2 to ValueType("object", 'i'))

private val HEADER = Regex("""JAVA PROFILE 1\.0\.[123]\x00{4}[\x01\x02\x04\x08].{8}""", RegexOption.DOT_MATCHES_ALL)

/** What a class says of its instances. */
private class HeapClass(val parent: ULong, val fields: List<ValueType>)

/** A line whose values have to wait: its class and superclasses may follow it. */
private class Instance(val line: Line, val own: ULong, val start: Int, val end: Int)

class HprofReader(private val data: ByteArray) {
    private val lines = mutableListOf<Line>()
    private val texts = mutableMapOf<ULong, Any>() // of STRING records, by identifier
    private val names = mutableMapOf<String, ULong>() // identifiers of texts, by the class's address
    private val classes = mutableMapOf<ULong, HeapClass>()
    private val instances = mutableListOf<Instance>()
    private var at = 31
    private var end = data.size

    init {
        if (data.size > 1 && data[0] == 0x1f.toByte() && data[1] == 0x8b.toByte()) throw Skip("this parser reads no gzip")
        if (!HEADER.matches(String(data.copyOf(minOf(31, data.size)), Charsets.ISO_8859_1))) throw Refusal("no HPROF header", 0)
    }

    private val idSize = data[22].toInt()

    fun listing(): List<Line> {
        while (at < data.size) record()
        for (line in lines) {
            if (line["kind"] == "class") line["name"] = names[line["address"]]?.let(texts::get)
        }
        for (instance in instances) instance.line["values"] = values(instance)
        return listOf<Line>(mutableMapOf("listing" to 1)) + lines
    }

    private fun record() {
        val start = at
        val (tag, _, length) = read("144")
        val next = at.toULong() + length
        if (next > data.size.toULong()) throw Refusal("the file ends within a record", start.toLong())
        end = next.toInt()
        val layout = RECORDS[tag.toInt()]
        when {
            tag == 0x01UL -> number('i').let { name -> texts[name] = text(take((end - at).toULong())) }
            tag == 0x02UL -> read("4i4i").let { (_, address, _, name) -> names[hex(address)] = name }
            tag == 0x0cUL || tag == 0x1cUL -> while (at < end) subRecord()
            layout != null -> take(read(layout.once).last() * layout.repeated.sumOf(::width).toULong())
        }
        at = end
        end = data.size
    }

    private fun subRecord() {
        when (val tag = number('1').toInt()) {
            0x20 -> {
                val (address, _, parent) = read("i4iiiiii4")
                for (key in "2i") { // the constant pool, then the static fields
                    repeat(number('2').toInt()) { number(key).also { number(lookUp(TYPES).layout) } }
                }
                val fields = List(number('2').toInt()) { number('i').let { lookUp(TYPES) } }
                classes[address] = HeapClass(parent, fields)
                add("class", address, "super" to hex(parent))
            }
            0x21 -> {
                val (address, _, own, length) = read("i4i4")
                val start = at
                take(length)
                instances += Instance(add("object", address, "class" to hex(own)), own, start, at)
            }
            0x22 -> {
                val (address, _, length, own) = read("i44i")
                val elements = mutableListOf<String>() // grows: the length is only claimed
                for (index in 0UL until length) elements += hex(number('i'))
                add("object-array", address, "array_class" to hex(own), "length" to length, "elements" to elements)
            }
            0x23, 0xc3 -> {
                val (address, _, length) = read("i44")
                val element = lookUp(ELEMENTS)
                // Android leaves some contents out.
                val contents = if (tag == 0x23) take(length * width(element.layout).toULong()).toDigits() else null
                add("primitive-array", address, "element" to element.name, "length" to length, "contents" to contents)
            }
            else -> read(ROOTS[tag] ?: throw unknown())
        }
    }

    private fun add(kind: String, address: ULong, vararg facts: Pair<String, Any?>): Line =
        mutableMapOf("kind" to kind, "address" to hex(address), *facts).also { lines += it }

    /** The values of an instance's fields: its class's own first, then those of each superclass. */
    private fun values(instance: Instance): List<List<String>> {
        val owners = mutableListOf<HeapClass>()
        var next = instance.own
        while (owners.size < classes.size) {
            owners += classes[next] ?: break
            next = owners.last().parent
        }
        if (next != 0UL) {
            throw Refusal("the superclasses of ${hex(instance.own)} have no end, or one is missing", instance.start.toLong())
        }
        at = instance.start
        end = instance.end
        val values = owners.flatMap { it.fields }.map { listOf(it.name, hex(number(it.layout))) }
        if (at < end) throw Refusal("the object ${instance.line["address"]} has more bytes than its fields", at.toLong())
        return values
    }

    private fun lookUp(table: Map<Int, ValueType>) = table[number('1').toInt()] ?: throw unknown()

    /** The refusal of the byte that was read last. */
    private fun unknown() = Refusal("${hex(data[at - 1].toUByte().toULong())} is unknown", at - 1L)

    private fun read(layout: String) = layout.map(::number)

    private fun number(field: Char) =
        take(width(field).toULong()).fold(0UL) { number, byte -> (number shl 8) or byte.toUByte().toULong() }

    private fun width(field: Char) = if (field == 'i') idSize else field.digitToInt()

    private fun take(count: ULong): ByteArray {
        if (count > (end - at).toULong()) throw Refusal("what ends at $end is shorter than it says", at.toLong())
        at += count.toInt()
        return data.copyOfRange(at - count.toInt(), at)
    }
}

private fun hex(bits: ULong) = "0x" + bits.toString(16)

private fun ByteArray.toDigits() = joinToString("") { "%02x".format(it) }

/** A name of modified UTF-8, or its bytes where they are no such text. */
private fun text(bytes: ByteArray): Any =
    codeUnits(bytes)?.takeIf { units -> Regex("\\p{Cs}") !in units } ?: mapOf("bytes" to bytes.toDigits())

private fun codeUnits(bytes: ByteArray): String? {
    val units = StringBuilder()
    var at = 0
    while (at < bytes.size) {
        val first = bytes[at].toUByte().toInt()
        val size = if (first < 0x80) 1 else if (first shr 5 == 0b110) 2 else if (first shr 4 == 0b1110) 3 else return null
        if (size > bytes.size - at) return null
        val rest = bytes.slice(at + 1 until at + size).map { it.toUByte().toInt() }
        if (rest.any { it shr 6 != 0b10 }) return null
        val start = if (size == 1) first else first and (0x7f shr size)
        val unit = rest.fold(start) { bits, byte -> (bits shl 6) or (byte and 0x3f) }
        if (unit < listOf(1, 0x80, 0x800)[size - 1] && !(size == 2 && unit == 0)) return null // longer than it need be
        units.append(unit.toChar())
        at += size
    }
    return units.toString()
}

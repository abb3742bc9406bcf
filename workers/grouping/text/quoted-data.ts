/**
 * Replaces quoted texts that are data: the value that could not be parsed, the user that was not
 * found, the file that could not be opened. What else is quoted names a property, a column, a
 * module or a function, which says what went wrong, and stays. Part of g1.
 */

// cspell:ignore scandir

const quotedMax = 512
const contextUnits = 40

/** What stands before data. */
const valueBefore =
  /(?:\b(?:values?|literal|(?<!mismatched |extraneous )input|input string|entry|parsing|user|username|user ?name|customer|e-?mail|email address|phone|account|tenant|member|guest|employee|patient|student|subscriber|contact|order|invoice|payment|coupon|sku|session|device|document|record|item|string|text|data|uuid|guid|id|ID|Id|pod|container)(?: (?:of|for|with|was|is))?[:=]? ?|\bbase \d{1,2}: |\bto (?:float|int|integer|number|date|decimal|bool|boolean|uuid|long|double): |\b(?:type|enum) [\w. ]{1,28}: ?)[([]?$/i
/** What stands before the name of a file. */
const fileBefore =
  /(?:\b(?:open|stat|lstat|unlink|scandir|mkdir|rmdir|readlink|rename|copyfile|realpath|opendir|directory|file|folder|path|filename)[:=]? ?|-> ?)[([]?$/i
/** What stands after data. */
const valueAfter =
  /(?:\.\.\.)? (?:(?:is|was) not (?:an? )?(?:valid|number|integer|int|float|boolean|date|uuid|well-formed|one of|in (?:the )?(?:list|range|enum))|(?:does|did) not match (?:the )?(?:format|pattern|regex)|(?:could|can) ?not be (?:parsed|converted|cast|decoded|deserialized)|is too (?:long|short|large|small|big)|to (?:type )?(?:int|integer|float|number|double|long|date|uuid|decimal|boolean)\b)/iy

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’' }
const beforeQuote = ' \t\n([{:,;@"'
const opening = /["'“‘]/g

const detailValue = /\)=\([^()\n]{1,512}\)/g
const duplicateKey = /(\bdup key: )\{[^{}\n]{1,512}\}/g

export function replaceQuotedData(text: string, onReplace: (kind: string) => void): string {
  return quoted(details(text, onReplace), onReplace)
}

/** `Key (email)=(ann@a.example)` of PostgreSQL and `dup key: { … }` of MongoDB. */
function details(text: string, onReplace: (kind: string) => void): string {
  let out = text
  if (text.includes(')=(')) {
    out = out.replace(detailValue, () => {
      onReplace('quoted_str')
      return ')=(<quoted_str>)'
    })
  }
  if (out.includes('dup key: {')) {
    out = out.replace(duplicateKey, (_all, words: string) => {
      onReplace('quoted_str')
      return `${words}<quoted_str>`
    })
  }
  return out
}

function quoted(text: string, onReplace: (kind: string) => void): string {
  let out = ''
  let copied = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const open = match.index
    // An apostrophe within a word opens nothing.
    if (match[0] === "'" && open > 0 && !beforeQuote.includes(text[open - 1]!)) continue
    const end = endOfQuoted(text, open)
    if (end === -1) continue
    opening.lastIndex = end
    const kind = kindOfQuoted(text, open, end)
    if (kind === '') continue
    onReplace(kind)
    const mark = text[open]!
    out += `${text.slice(copied, open)}${mark}<${kind}>${closing[mark]}`
    copied = end
  }
  return copied === 0 ? text : out + text.slice(copied)
}

function kindOfQuoted(text: string, open: number, end: number): string {
  if (end - open < 3 || isMarker(text, open + 1, end - 1)) return ''
  const before = text.slice(Math.max(0, open - contextUnits), open)
  if (valueBefore.test(before)) return 'quoted_str'
  if (fileBefore.test(before)) return hasAddress(text, open, end) ? '' : 'path'
  if (isSentence(text, open, end) && /[A-Za-z] $/.test(before)) return 'quoted_str'
  valueAfter.lastIndex = end
  return valueAfter.test(text) ? 'quoted_str' : ''
}

function hasAddress(text: string, open: number, end: number): boolean {
  return /:\/\/|<(?:url|query)>/.test(text.slice(open, end))
}

/** Three words; after a colon they would be a message, which says what went wrong. */
function isSentence(text: string, open: number, end: number): boolean {
  const first = text.indexOf(' ', open)
  const second = first === -1 ? -1 : text.indexOf(' ', first + 1)
  return second !== -1 && second < end
}

function isMarker(text: string, from: number, to: number): boolean {
  return text[from] === '<' && text.indexOf('>', from) === to - 1
}

/** After the closing quote; -1 when there is none on this line. */
function endOfQuoted(text: string, open: number): number {
  const mark = closing[text[open]!]!
  const last = Math.min(text.length, open + quotedMax)
  for (let index = open + 1; index < last; index++) {
    const char = text[index]
    if (char === '\n') return -1
    if (char === '\\') index++
    else if (char === mark && !(mark === "'" && isWordUnit(text.charCodeAt(index + 1)))) {
      return index + 1
    }
  }
  return -1
}

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    // What was replaced was a word, too.
    unit === 0x3c ||
    unit === 0x3e ||
    unit > 0x2fff
  )
}

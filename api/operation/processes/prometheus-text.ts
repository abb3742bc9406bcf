/**
 * Parses the Prometheus text format. A line that is not valid is left out, so that one bad line of
 * one process never hides the others. The number of samples and the length of a line are bounded.
 */
export interface Sample {
  readonly labels: ReadonlyMap<string, string>
  /** The text between the braces; with the name, it identifies the series. */
  readonly series: string
  readonly value: number
}

export type Metrics = ReadonlyMap<string, readonly Sample[]>

const samplesMax = 50_000
const lineCharactersMax = 16_384
const labelsMax = 32
const namePattern = /[a-zA-Z_:][a-zA-Z0-9_:]*/y
const labelPattern = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\\n]|\\[\s\S])*)"\s*(,?)/y
const valuePattern = /^\s+([^\s]+)(?:\s+-?\d+)?\s*$/

export function parsePrometheus(text: string): Metrics {
  const metrics = new Map<string, Sample[]>()
  let count = 0
  for (let from = 0; from < text.length && count < samplesMax; ) {
    const newline = text.indexOf('\n', from)
    const end = newline === -1 ? text.length : newline
    const line = end - from <= lineCharactersMax ? text.slice(from, end) : ''
    from = end + 1
    if (line === '' || line.startsWith('#')) continue
    const parsed = parseLine(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (parsed === undefined) continue
    count += 1
    const samples = metrics.get(parsed.name)
    if (samples === undefined) metrics.set(parsed.name, [parsed.sample])
    else samples.push(parsed.sample)
  }
  return metrics
}

function parseLine(line: string): { name: string; sample: Sample } | undefined {
  namePattern.lastIndex = 0
  const name = namePattern.exec(line)?.[0]
  if (name === undefined) return undefined
  const found = parseLabels(line, name.length)
  if (found === undefined) return undefined
  const value = parseValue(line.slice(found.end))
  if (value === undefined) return undefined
  const { labels, series } = found
  return { name, sample: { labels, series, value } }
}

const noLabels: ReadonlyMap<string, string> = new Map()

function parseLabels(line: string, at: number) {
  if (line[at] !== '{') return { labels: noLabels, series: '', end: at }
  const labels = new Map<string, string>()
  let end = at + 1
  for (let count = 0; count <= labelsMax; count += 1) {
    if (line[end] === '}') return { labels, series: line.slice(at + 1, end), end: end + 1 }
    labelPattern.lastIndex = end
    const match = labelPattern.exec(line)
    if (match === null) return undefined
    const [whole, name = '', value = '', comma] = match
    labels.set(name, unescapeLabel(value))
    end += whole.length
    if (comma === '' && line[end] !== '}') return undefined
  }
  return undefined
}

function unescapeLabel(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\([\s\S])/g, (_, character: string) => {
    return character === 'n' ? '\n' : character
  })
}

const specialValues: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  '+Inf': Number.POSITIVE_INFINITY,
  Inf: Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
}

function parseValue(text: string): number | undefined {
  const word = valuePattern.exec(text)?.[1]
  if (word === undefined) return undefined
  if (Object.hasOwn(specialValues, word)) return specialValues[word]
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(word)) return undefined
  return Number(word)
}

/**
 * Parses the text of a stack trace in each language's format. OTLP has stack traces as text only,
 * and without frames all errors of a type would be one issue. Text that cannot be parsed is kept as
 * text.
 */
import { readDotnetStack } from './read-dotnet-stack.ts'
import { readElixirStack } from './read-elixir-stack.ts'
import { readGoStack } from './read-go-stack.ts'
import { readJavaStack } from './read-java-stack.ts'
import { readJavaScriptStack } from './read-javascript-stack.ts'
import { readPhpStack } from './read-php-stack.ts'
import { readPythonStack } from './read-python-stack.ts'
import { readRubyStack } from './read-ruby-stack.ts'
import { readRustStack } from './read-rust-stack.ts'
import type { StackReader, TextException } from './stack-text.ts'

/** Parsers by the platform of the event. */
const readers: ReadonlyMap<string, StackReader> = new Map([
  ['node', readJavaScriptStack],
  ['javascript', readJavaScriptStack],
  ['python', readPythonStack],
  ['java', readJavaStack],
  ['csharp', readDotnetStack],
  ['go', readGoStack],
  ['ruby', readRubyStack],
  ['php', readPhpStack],
  ['rust', readRustStack],
  ['elixir', readElixirStack],
])

/** Patterns that are unique to one language, for senders that do not name theirs. */
const signs: readonly (readonly [sign: RegExp, reader: StackReader])[] = [
  [/:line \d+$/m, readDotnetStack],
  [/^Traceback \(most recent call last\)/m, readPythonStack],
  [/^[ \t]*at [\w.$/@]+\([\w ]+(?:\.(?:java|kt|scala|groovy):\d+)?\)/m, readJavaStack],
  [/^goroutine \d+ \[/m, readGoStack],
  [/^[ \t]*at .+:\d+:\d+\)?$/m, readJavaScriptStack],
  [/^#0 /m, readPhpStack],
]

/** Longer stacks are recursion, and parsing them is not worth the cost. */
const charactersMax = 131_072
const linesMax = 4000
const lineCharactersMax = 2048
const exceptionsMax = 50

export function readStackText(text: string, platform: string): readonly TextException[] {
  const known = text.slice(0, charactersMax)
  const lines = known.split(/\r?\n/, linesMax).map((line) => line.slice(0, lineCharactersMax))
  const bounded = lines.join('\n')
  const reader = readers.get(platform) ?? signs.find(([sign]) => sign.test(bounded))?.[1]
  return reader === undefined ? [] : reader(lines).slice(-exceptionsMax)
}

/**
 * The parser gives the same frames as the former regular expressions, which took quadratic time.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDotnetStack } from './read-dotnet-stack.ts'
import { readJavaScriptStack } from './read-javascript-stack.ts'
import { readPhpStack } from './read-php-stack.ts'

const line = (...tokens: string[]) =>
  fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((parts) => parts.join(''))

test('.NET: the location begins after the first " in " between a call and a name', () => {
  const lines = line(' in ', ':line ', '1', '22', 'a', '.b', '(', ')', ' ', 'in', ':')
  fc.assert(
    fc.property(lines, (text) => {
      const match = /^\s*at (.+?)(?: in (.+):line (\d{1,9}))?$/.exec(`at ${text}`)
      const frame = readDotnetStack([`at ${text}`])[0]?.frames[0]
      expect(frame?.filename).toBe(match?.[2])
      expect(frame?.lineno).toBe(match?.[3] === undefined ? undefined : Number(match[3]))
    }),
    { numRuns: 3_000 },
  )
})

test('PHP: the location ends at the first number in parentheses with a colon', () => {
  const lines = line('a', '/b.php', '(1)', '(22): ', '(', ')', ': ', '[internal function]: ', ' ')
  fc.assert(
    fc.property(lines, (text) => {
      const call = `#0 ${text}`.trim()
      const match = /^#\d+ (?:(.+?)\((\d{1,9})\): |\[internal function\]: )?(.*)$/.exec(call)
      const frames = readPhpStack([call, '#1 {main}'])[0]?.frames ?? []
      const name = match?.[3]?.replace(/\(.*$/s, '')
      const place = frames.find((frame) => frame.filename !== undefined)
      expect(place?.filename).toBe(match?.[1])
      expect(frames.some((frame) => frame.function === name)).toBe(
        name !== undefined && name !== '',
      )
    }),
    { numRuns: 3_000 },
  )
})

test('JavaScript: the alias at the end of a name is removed', () => {
  const names = line('a', '.b', ' [as ', ']', '[', ' ', 'as')
  fc.assert(
    fc.property(names, (name) => {
      const text = `at ${name} (f.js:1:2)`.trim()
      const call = text.slice(3).replace(/^async /, '')
      const open = call.lastIndexOf(' (')
      const want = open < 0 ? undefined : call.slice(0, open).replace(/ \[as [^\]]*\]$/, '')
      const frame = readJavaScriptStack([text])[0]?.frames[0]
      expect(frame?.function ?? '').toBe(want ?? '')
    }),
    { numRuns: 3_000 },
  )
})

/**
 * Checks that every regular expression of the product runs in linear time. The list is read from
 * the sources, so new expressions are checked automatically. Reported expressions that are harmless
 * are listed with a reason.
 */
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { personPatterns } from '#platform/text/person-pattern.ts'
import { findSlowLoops } from './find-slow-loops.ts'
import { listRegexes, type SourceRegex } from './list-regexes.ts'

// cspell:ignore anonfun
const folders = ['api', 'ingest', 'platform', 'schemas', 'web', 'workers']

/** Reported expressions that are harmless, by file, with the reason. */
const explained: readonly (readonly [path: string, regex: RegExp, why: string])[] = [
  [
    'api/compose/css/filter-css.ts',
    /\/\*[\s\S]*?(?:\*\/|$)/g,
    'A comment without an end reaches the end of the text, so no position is tried twice.',
  ],
  [
    'api/portal/page/markdown.ts',
    /```[\s\S]*?(?:```|$)/g,
    'A fence without an end reaches the end of the text, so no position is tried twice.',
  ],
  [
    'workers/grouping/frames/clean-module.ts',
    /(?:_\$\$_(?:javassist|jvst)|\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB)|\$HibernateProxy\$|\$ByteBuddy\$|\$MockitoMock\$).*$/,
    'Modules have at most 256 characters after normalising, and grouping keeps its output.',
  ],
  [
    'workers/grouping/frames/clean-module.ts',
    /\$\$anonfun\$.*$/,
    'Modules have at most 256 characters after normalising, and grouping keeps its output.',
  ],
]

/**
 * Files that construct expressions, with a sample of what they construct, or undefined if that
 * happens while the file is loaded.
 */
const constructed: Readonly<Record<string, RegExp | undefined>> = {
  'api/compose/html/conditional-comments.ts': /zc0c(\d+)z/g,
  'api/compose/html/slot-marks.ts': /zq0s(\d{1,6})(z|u|v)/g,
  'api/compose/template.ts': undefined,
  'api/http/unknown-routes.ts': /^\/api\/[^/]+\/x\.y\/.*$/,
  'platform/nats/stream-of-partition.ts': undefined,
  'platform/text/person-pattern.ts': new RegExp(
    personPatterns({ email: 'a.b@c.test' })[0]!.json,
    'gi',
  ),
  'schemas/visible-text.ts': undefined,
  'workers/filters/is-crawler.ts': undefined,
  'workers/grouping/text/variable-kinds.ts': undefined,
  'web/dashboard/areas/email/imports/column-meaning.ts': undefined,
}

const { literals, constructing } = listRegexes(folders)

function isExplained({ path, source, flags }: SourceRegex): boolean {
  return explained.some(
    ([file, regex]) => file === path && regex.source === source && regex.flags === flags,
  )
}

test('the list contains expressions of every folder', () => {
  expect(literals.length).toBeGreaterThan(400)
  const parts = new Set(literals.map(({ path }) => path.split('/')[0]))
  expect([...parts].sort()).toEqual(folders)
})

test('no expression takes more than linear time', () => {
  const slow = literals
    .filter((regex) => !isExplained(regex))
    .flatMap((regex) => {
      const found = findSlowLoops(regex)
      const { path, line, source, flags } = regex
      return found.length === 0 ? [] : [`${path}:${line} /${source}/${flags}: ${found.join('; ')}`]
    })
  expect(slow).toEqual([])
})

test('every explanation belongs to an existing expression that the check reports', () => {
  for (const [path, { source, flags }] of explained) {
    expect(literals.some((one) => one.path === path && one.source === source)).toBe(true)
    expect(findSlowLoops({ source, flags })).not.toEqual([])
  }
})

test('constructed expressions run in linear time', async () => {
  expect([...constructing].sort()).toEqual(Object.keys(constructed).sort())
  const atLoad: RegExp[] = []
  const Original = RegExp
  const recording = new Proxy(Original, {
    construct: (target, [source, flags]: [string | RegExp, string?]) => {
      const regex = new target(source, flags)
      atLoad.push(regex)
      return regex
    },
  })
  vi.resetModules()
  vi.stubGlobal('RegExp', recording)
  try {
    for (const [path, sample] of Object.entries(constructed)) {
      if (sample === undefined) await import(/* @vite-ignore */ join(projectRoot, path))
    }
  } finally {
    vi.unstubAllGlobals()
  }
  expect(atLoad.length).toBeGreaterThanOrEqual(5)
  for (const { source, flags } of [...atLoad, ...Object.values(constructed)].filter(isGiven)) {
    expect(findSlowLoops({ source, flags }), source.slice(0, 100)).toEqual([])
  }
})

function isGiven(regex: RegExp | undefined): regex is RegExp {
  return regex !== undefined
}

// biome-ignore format: the columns are the point
describe('the check', () => {
  test.each([
    ['two loops over the same characters',     /^\s*\s*x/],
    ['a loop at every position',               /-+$/],
    ['a loop after a text that it contains',         /<!--[\s\S]*?-->/],
    ['a bound that is too high',               /a[\s\S]{0,20000}?b/],
    ['a separator that both loops contain',    /^(.+) in (.+):\d$/],
    ['a loop within a loop',                   /^(?:a+)+$/],
    ['alternatives that overlap in a loop',    /^(?:\w|a)*c$/],
    ['a lookbehind that does not prevent it', /(?<!x)-+$/],
    ['lines that contain line breaks',         /^[\s\S]*x$/m],
    ['a loop in a lookahead',                  /^a*(?=a*b)/],
  ])('reports %s', (_name, { source, flags }) => {
    expect(findSlowLoops({ source, flags })).not.toEqual([])
  })

  test.each([
    ['a separator between the loops',          /^[a-z]+(?:-[a-z]+)*$/],
    ['a loop at the end of the pattern',            /%.*/s],
    ['a lookbehind that prevents it',         /(?<!-)-+$/],
    ['a word boundary before words',           /\b\w+:/],
    ['lines',                                  /^ at .+:\d+$/m],
    ['a small bound',                          /\{\{[^{}]{0,100}\}\}/g],
  ])('accepts %s', (_name, { source, flags }) => {
    expect(findSlowLoops({ source, flags })).toEqual([])
  })
})

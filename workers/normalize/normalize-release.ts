/** Release, distribution and environment: names that people compare, so a bad one is dropped, never cut. */
import { fieldCharactersMax } from './field-limits.ts'
import type { Notes } from './notes.ts'
import { scalarText } from './read-value.ts'

export interface ReleaseNames {
  readonly release: string
  readonly dist: string
  readonly environment: string
}

export function normalizeRelease(
  sent: { readonly release: unknown; readonly dist: unknown; readonly environment: unknown },
  notes: Notes,
): ReleaseNames {
  const release = readName(sent.release, releaseRule, notes)
  const dist = readName(sent.dist, distRule, notes)
  if (release === '' && dist !== '') notes.add('dist', 'dropped: means nothing without a release')
  return {
    release,
    dist: release === '' ? '' : dist,
    environment: readEnvironment(sent.environment, notes),
  }
}

/** Also for the environment that old clients send as a tag. */
export function readEnvironment(value: unknown, notes: Notes): string {
  return readName(value, environmentRule, notes)
}

const releaseRule = {
  field: 'release',
  charactersMax: fieldCharactersMax.release,
  allowed: /^(?!(?:\.|\.\.|latest)$)[^\n\r\t/\\]*$/i,
}
const distRule = {
  field: 'dist',
  charactersMax: fieldCharactersMax.dist,
  allowed: /^[A-Za-z0-9_.-]+$/,
}
const environmentRule = {
  field: 'environment',
  charactersMax: fieldCharactersMax.environment,
  allowed: /^(?!none$)[^\n\r/]*$/i,
}

interface NameRule {
  readonly field: string
  readonly charactersMax: number
  readonly allowed: RegExp
}

function readName(value: unknown, rule: NameRule, notes: Notes): string {
  if (value === undefined || value === null) return ''
  const name = scalarText(value)?.trim()
  if (name === '') return ''
  if (name !== undefined && name.length <= rule.charactersMax && rule.allowed.test(name))
    return name
  notes.add(rule.field, 'dropped: not a valid name')
  return ''
}

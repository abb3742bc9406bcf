/**
 * Release, distribution and environment. People compare these names, so an invalid one is dropped
 * and never cut.
 */
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import type { Draft } from './draft.ts'
import { fieldCharactersMax } from './field-limits.ts'
import { orAbsent } from './stored-event.ts'
import type { Notes } from './values/notes.ts'
import { scalarText } from './values/read-value.ts'

export interface ReleaseNames {
  readonly release: StoredText
  readonly dist: StoredText
  readonly environment: StoredText
}

export function normalizeRelease(draft: Draft): void {
  const { sent, notes, event, stored } = draft
  const { release, dist, environment } = readReleaseNames(sent, notes)
  event.release = release
  event.dist = dist
  event.environment = environment || readEnvironment(draft.environmentTag, notes)
  stored.release = orAbsent(release)
  stored.dist = orAbsent(dist)
  stored.environment = orAbsent(event.environment)
}

export function readReleaseNames(
  sent: { readonly release: unknown; readonly dist: unknown; readonly environment: unknown },
  notes: Notes,
): ReleaseNames {
  const release = readName(sent.release, releaseRule, notes)
  const dist = readName(sent.dist, distRule, notes)
  if (release === '' && dist !== '') notes.add('dist', 'dropped: means nothing without a release')
  return {
    release,
    dist: release === '' ? absent : dist,
    environment: readEnvironment(sent.environment, notes),
  }
}

function readEnvironment(value: unknown, notes: Notes): StoredText {
  return readName(value, environmentRule, notes)
}

const absent = storedText('')

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

function readName(value: unknown, rule: NameRule, notes: Notes): StoredText {
  if (value === undefined || value === null) return absent
  const sent = scalarText(value)
  const name = sent === undefined ? undefined : storedText(sent.trim())
  if (name === '') return absent
  if (name !== undefined && name.length <= rule.charactersMax && rule.allowed.test(name))
    return name
  notes.add(rule.field, 'dropped: not a valid name')
  return absent
}

/**
 * What a person has typed into the settings of a project but not saved. Only changed fields are
 * sent, so that two people who change different fields do not overwrite each other.
 */
import type { ProblemDetail } from '../../../../http/problem.ts'
import type { Body, Reply } from '../../../../http/request.ts'
import { numberOrNull } from './number-or-null.ts'

export type Settings = Reply<'GET /api/v1/projects/{project_id}/settings'>
export type SettingsChange = Exclude<
  NonNullable<Body<'PUT /api/v1/projects/{project_id}/settings'>>,
  Blob
>

export const flagFields = [
  'scrubbing.defaults',
  'scrubbing.ip_addresses',
  'filters.browser_extensions',
  'filters.legacy_browsers',
  'filters.localhost',
  'filters.web_crawlers',
  'attachments.keep',
] as const
/** Lists, one entry a line. */
export const listFields = [
  'scrubbing.sensitive_keys',
  'scrubbing.safe_keys',
  'scrubbing.patterns',
  'filters.releases',
  'filters.error_messages',
  'allowed_origins',
] as const
export type FlagField = (typeof flagFields)[number]
export type ListField = (typeof listFields)[number]
/** Numbers; an empty field is null. */
export const numberFields = ['retention_days', 'attachments.megabytes_per_day'] as const
export type NumberField = (typeof numberFields)[number]
export type Field = FlagField | ListField | NumberField

/** A flag is a boolean; everything else is the text of its field. */
export type Edits = { readonly [F in Field]?: F extends FlagField ? boolean : string }

export function flagOf(settings: Settings, edits: Edits, field: FlagField): boolean {
  return edits[field] ?? (storedValue(settings, field) as boolean)
}

export function textOf(settings: Settings, edits: Edits, field: Exclude<Field, FlagField>): string {
  return edits[field] ?? storedText(settings, field)
}

/** An entry with a line break would become two. Such a list can be changed with the API only. */
export function hasLineBreak(settings: Settings, field: ListField): boolean {
  return listOf(settings, field).some((entry) => /[\r\n]/.test(entry))
}

export function changedFields(
  settings: Settings,
  edits: Edits,
  fields: readonly Field[],
): readonly Field[] {
  return fields.filter((field) => {
    const edit = edits[field]
    if (edit === undefined) return false
    return isFlag(field)
      ? edit !== storedValue(settings, field)
      : edit !== storedText(settings, field)
  })
}

export function changeOf(
  settings: Settings,
  edits: Edits,
  fields: readonly Field[],
): SettingsChange {
  const change: Record<string, unknown> = {}
  for (const field of changedFields(settings, edits, fields)) {
    const [group, name] = field.split('.') as [string, string | undefined]
    const value = valueToSend(field, edits[field] as boolean | string)
    if (name === undefined) change[group] = value
    else change[group] = { ...(change[group] as object | undefined), [name]: value }
  }
  return change
}

/** Entries of a text and the line, from 1, on which each stands. Empty lines are left out. */
export function linesOf(
  text: string,
): readonly { readonly entry: string; readonly line: number }[] {
  return text
    .split(/\r?\n/)
    .map((entry, index) => ({ entry, line: index + 1 }))
    .filter(({ entry }) => entry.trim() !== '')
}

/**
 * The rules that a field breaks, one a line. The API names entries of a list by their index; a
 * person counts the lines of the text that was sent.
 */
export function ruleOf(
  details: readonly ProblemDetail[],
  field: Field,
  sentText: string,
): string | undefined {
  const lines = linesOf(sentText)
  const rules = details.flatMap((detail) => {
    if (detail.field === field) return [detail.rule]
    if (!detail.field.startsWith(`${field}.`)) return []
    const index = Number(detail.field.slice(field.length + 1).split('.', 1)[0])
    const line = lines[index]?.line
    return [line === undefined ? detail.rule : `Line ${line}: ${detail.rule}`]
  })
  return rules.length === 0 ? undefined : rules.join('\n')
}

export function isPlaced(detail: ProblemDetail, fields: readonly Field[]): boolean {
  return fields.some((field) => detail.field === field || detail.field.startsWith(`${field}.`))
}

function isFlag(field: Field): field is FlagField {
  return (flagFields as readonly Field[]).includes(field)
}

function isNumber(field: Field): field is NumberField {
  return (numberFields as readonly Field[]).includes(field)
}

function valueToSend(field: Field, edit: boolean | string): unknown {
  if (typeof edit === 'boolean') return edit
  if (isNumber(field)) return numberOrNull(edit)
  return linesOf(edit).map(({ entry }) => entry)
}

function storedValue(settings: Settings, field: Field): unknown {
  const [group, name] = field.split('.') as [string, string | undefined]
  const value = (settings as unknown as Record<string, unknown>)[group]
  return name === undefined ? value : (value as Record<string, unknown>)[name]
}

function storedText(settings: Settings, field: Exclude<Field, FlagField>): string {
  if (isNumber(field)) return String(storedValue(settings, field) ?? '')
  return listOf(settings, field).join('\n')
}

function listOf(settings: Settings, field: ListField): readonly string[] {
  return storedValue(settings, field) as readonly string[]
}

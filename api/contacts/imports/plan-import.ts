/**
 * Plans an import from the file itself and the options. Rejects a file before any of it is stored.
 */
import {
  type ImportFormat,
  ImportMapping,
  type ImportPlan,
  type ImportStatus,
} from '#schemas/rest/email/contact-import.ts'
import { detectEncoding } from '../../files/text-encoding.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { checkValue } from '../../http/validation/validation-rules.ts'
import { findJsonOptOuts } from './file/find-json-opt-outs.ts'
import { columnsWithJson, planColumns } from './file/plan-columns.ts'
import { readHead } from './file/read-head.ts'
import { shownText } from './file/shown-text.ts'

const fileNameCharactersMax = 200

export interface ImportOptions {
  /** Slug of the newsletter that gets the contacts. */
  readonly newsletter: string
  /** JSON of an `ImportMapping`. */
  readonly mapping: string | undefined
  readonly ignore: readonly string[]
  readonly format: ImportFormat | undefined
  readonly fileName: string | undefined
  readonly status: ImportStatus | undefined
  readonly updateExisting: boolean
  /** Source of contacts whose row has none. */
  readonly source: string | undefined
  readonly dryRun: boolean
}

export interface ImportedFile {
  /** Reads the file from its beginning, each time it is called. */
  readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** At least the first `headBytesMax` bytes of the file, or all of it. */
  readonly start: Uint8Array
}

export interface PlannedImport {
  readonly plan: ImportPlan
  readonly notes: readonly string[]
}

export async function planImport(
  { open, start }: ImportedFile,
  options: ImportOptions,
  now: Date,
): Promise<PlannedImport> {
  const columnOptions = { ...options, mapping: parseMapping(options.mapping) }
  const detected = await detectEncoding(open())
  if ('line' in detected) {
    throw invalidField('file', `cannot be read: line ${detected.line} ${detected.rule}`)
  }
  const { encoding } = detected
  const head = await readHead(start, encoding)
  const columns = columnsWithJson(head, columnOptions)
  const { delimiter } = head
  const optOuts = await findJsonOptOuts(open, { encoding, delimiter, columns })
  const { plan, notes } = planColumns(head, columnOptions, optOuts)
  const defaultSource = options.source ?? `import ${now.toISOString().slice(0, 10)}`
  const { updateExisting, fileName } = options
  const named =
    fileName === undefined ? {} : { fileName: shownText(fileName, fileNameCharactersMax) }
  return { plan: { ...plan, encoding, updateExisting, defaultSource, ...named }, notes }
}

/** Parses the JSON that maps columns. Errors name the field, as in `mapping.email`. */
function parseMapping(text: string | undefined): ImportMapping {
  if (text === undefined) return {}
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw invalidField('mapping', 'must be JSON')
  }
  const parsed = checkValue(ImportMapping, json, 'mapping')
  if (parsed.success) return parsed.data
  const [{ field, rule }] = parsed.errors
  throw invalidField(field === 'mapping' ? field : `mapping.${field}`, rule)
}

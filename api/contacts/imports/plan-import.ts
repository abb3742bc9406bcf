/** The plan of an import from the file itself and what the person says of it. Refuses a file before anything is stored of it. */
import type { ImportPlan } from '#schemas/rest/email/contact-import.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { findJsonOptOuts } from './file/find-json-opt-outs.ts'
import { type ColumnOptions, columnsWithJson, planColumns } from './file/plan-columns.ts'
import { readHead } from './file/read-head.ts'
import { detectEncoding } from './file/text-encoding.ts'

export interface ImportOptions extends ColumnOptions {
  readonly updateExisting: boolean
  /** Of contacts whose row names none. */
  readonly source: string | undefined
  readonly now: Date
}

/** `open`: reads the file from its beginning, each time. `start`: at least the first `headBytesMax` bytes of the file, or all of it. */
export async function planImport(
  open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  start: Uint8Array,
  options: ImportOptions,
): Promise<{ plan: ImportPlan; notes: readonly string[] }> {
  const detected = await detectEncoding(open())
  if ('line' in detected) {
    throw invalidField('file', `cannot be read: line ${detected.line} ${detected.rule}`)
  }
  const { encoding } = detected
  const head = readHead(start, encoding)
  const columns = columnsWithJson(head, options)
  const { delimiter } = head
  const optOuts = await findJsonOptOuts(open, { encoding, delimiter, columns })
  const { plan, notes } = planColumns(head, options, optOuts)
  const defaultSource = options.source ?? `import ${options.now.toISOString().slice(0, 10)}`
  return {
    plan: { ...plan, encoding, updateExisting: options.updateExisting, defaultSource },
    notes,
  }
}

/** Compares the files that clients sent with events with those that are stored. */
import { counterOf } from '../../../bench/load/event-ids.ts'
import { fileOf } from '../plan-load.ts'
import type { StoredOutcome } from '../read-stores.ts'
import type { RoundLedger } from '../round-ledger.ts'
import type { StoredFile } from './read-files.ts'

export interface StoredFiles {
  readonly files: readonly StoredFile[]
  readonly outcomes: readonly StoredOutcome[]
}

/**
 * Each stored file was sent, is stored once and can be read; as many are stored as were accepted;
 * and a file that was answered 200 is stored, or has the outcome that says why not: a file is
 * refused while Postgres is away, and its event is accepted.
 *
 * @param isRestored an older Postgres was put back, and the names of files are only there.
 */
export function checkFiles(
  { project, filesSent, filesAnswered }: RoundLedger,
  { files, outcomes }: StoredFiles,
  isRestored: boolean,
): string[] {
  const findings: string[] = []
  const stored = new Set<number>()
  for (const { eventId, name, content } of files) {
    const counter = counterOf(project.runId, eventId)
    if (counter === undefined || !filesSent.has(counter)) {
      findings.push(`a file of ${eventId} is stored that was never sent`)
      continue
    }
    const sent = fileOf(counter)
    if (stored.has(counter)) findings.push(`the file of event ${counter} is stored twice`)
    if (content === undefined) findings.push(`the file of event ${counter} cannot be read`)
    else if (content !== sent.content || name !== sent.name) {
      findings.push(`the file of event ${counter} is another one`)
    }
    stored.add(counter)
  }
  if (isRestored) return findings
  const ofFiles = outcomes.filter(({ category }) => category === 'attachment')
  const sum = (wanted: (outcome: string) => boolean) =>
    ofFiles.reduce((total, { outcome, quantity }) => total + (wanted(outcome) ? quantity : 0), 0)
  const accepted = sum((outcome) => outcome === 'accepted')
  const refused = sum((outcome) => outcome === 'rejected' || outcome === 'over_quota')
  const missing = [...filesAnswered].filter((counter) => !stored.has(counter))
  if (accepted !== files.length) {
    findings.push(`${accepted} files are accepted, ${files.length} are stored`)
  }
  if (missing.length > refused) {
    findings.push(
      `${missing.length} files were answered 200 and are not stored, ${refused} were refused: ${missing.slice(0, 3).join(', ')}`,
    )
  }
  return findings
}

/**
 * Some requests of the canonical workload as a file for k6, which cannot run our code. The ids are
 * the placeholders `{{0}}`, `{{1}}`, …, which k6/workload.js replaces. A test compares the file
 * with the workload; `node dist/bench/k6-runs/write-k6-envelopes.js` updates it.
 */
import { envelopeTexts, type WorkloadKind } from '../load/workload.ts'

export interface K6Envelopes {
  /** Time of the events. k6 replaces it by the current time. */
  readonly madeAtMs: number
  readonly envelopes: Readonly<Record<WorkloadKind, readonly string[]>>
}

const madeAtMs = Date.UTC(2026, 0, 1)
/** The prefix of all ids that become placeholders. */
export const k6RunId = 'f00d'.repeat(4)

/** Requests of each kind; few large ones, so that the file stays small. */
const counts: Readonly<Record<WorkloadKind, number>> = { '1k': 12, '10k': 4, '50k': 2, batch: 1 }

export function k6Envelopes(): K6Envelopes {
  return {
    madeAtMs,
    envelopes: {
      '1k': cutOut('1k'),
      '10k': cutOut('10k'),
      '50k': cutOut('50k'),
      batch: cutOut('batch'),
    },
  }
}

function cutOut(kind: WorkloadKind): string[] {
  const publicKey = '0'.repeat(32)
  const options = { kind, seed: 1, nowMs: madeAtMs, runId: k6RunId, publicKey }
  return envelopeTexts(options, counts[kind]).map(({ text, eventIds }) =>
    eventIds.reduce((cut, eventId, index) => cut.replaceAll(eventId, `{{${index}}}`), text),
  )
}

export function k6EnvelopesJson(): string {
  return `${JSON.stringify(k6Envelopes(), undefined, 2)}\n`
}

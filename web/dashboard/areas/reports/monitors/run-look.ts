/** How a run is named and colored: in strips, charts and lists. */
import type { Tone } from '../../../design/content/badge.tsx'
import { formatDuration, formatExact } from '../../../design/content/format.ts'
import type { Item } from '../../../http/use-pages.ts'

export type Run = Item<'GET /api/v1/projects/{project_id}/monitors/{slug}/runs'>
export type RunOutcome = 'ok' | 'error' | 'missed' | 'overrunning' | 'running'

export const runOutcomes: readonly RunOutcome[] = [
  'ok',
  'error',
  'missed',
  'overrunning',
  'running',
]

export const runLabels: Readonly<Record<RunOutcome, string>> = {
  ok: 'OK',
  error: 'Failed',
  missed: 'Missed',
  overrunning: 'Overrunning',
  running: 'Running',
}

export const runTones: Readonly<Record<RunOutcome, Tone>> = {
  ok: 'success',
  error: 'danger',
  missed: 'warning',
  overrunning: 'purple',
  running: 'info',
}

export function outcomeOf(run: Pick<Run, 'status' | 'result'>): RunOutcome {
  if (run.status !== 'closed') return run.status
  return run.result === 'error' ? 'error' : 'ok'
}

/** When it began, or should have begun. */
export function timeOf(run: Run): string | null {
  return run.started_at ?? run.expected_at ?? run.closed_at
}

/** `Failed · 23 Nov 2026, 15:04:05 · 12 s`, for the tooltip of a bar. */
export function runWords(run: Run): string {
  const at = timeOf(run)
  return [
    runLabels[outcomeOf(run)],
    ...(at === null ? [] : [formatExact(at)]),
    ...(run.duration_ms === null ? [] : [formatDuration(run.duration_ms)]),
    run.environment,
  ].join(' · ')
}

/** `23 OK, 1 missed`, for screen readers. */
export function countWords(runs: readonly Run[]): string {
  if (runs.length === 0) return 'no runs'
  return runOutcomes
    .map((outcome) => ({
      outcome,
      count: runs.filter((run) => outcomeOf(run) === outcome).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => {
      const label = runLabels[outcome]
      return `${count} ${outcome === 'ok' ? label : label.toLowerCase()}`
    })
    .join(', ')
}

import { useEffect, useMemo, useState } from 'preact/hooks'
import { Sparkline } from '../../../../design/charts/sparkline.tsx'
import { countOf, formatNumber } from '../../../../design/content/format.ts'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { asProblem, type Problem } from '../../../../http/problem.ts'
import { type Body, type Reply, request } from '../../../../http/request.ts'
import { projectPath, useProjectId } from '../../../../url/use-project.ts'
import { Notice } from '../../common/numbers.tsx'
import { previewBodyOf, type RuleDraft } from './draft.ts'
import { conditionLabel } from './rule-words.ts'

const operation = 'POST /api/v1/projects/{project_id}/alerts/preview'
export type Preview = Reply<typeof operation>

export interface PreviewState {
  readonly preview: Preview | undefined
  readonly problem: Problem | undefined
  readonly isStale: boolean
  readonly retry: () => void
}

/** After the last key, so that typing does not use up the rate limit. */
const waitMs = 600

/** What the draft would have fired; asked again a moment after each change. */
export function usePreview(draft: RuleDraft): PreviewState {
  const project_id = useProjectId()
  const [state, setState] = useState(nothing)
  const [attempt, setAttempt] = useState(0)
  const body = JSON.stringify(previewBodyOf(draft))
  useEffect(() => {
    setState((before) => ({ ...before, isStale: true }))
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const given = JSON.parse(body) as Body<typeof operation>
      request(operation, { params: { project_id }, body: given }, abort.signal).then(
        (preview) => setState({ preview, problem: undefined, isStale: false }),
        (error: unknown) => {
          if (abort.signal.aborted) return
          setState({ preview: undefined, problem: asProblem(error), isStale: false })
        },
      )
    }, waitMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body, attempt])
  return { ...state, retry: () => setAttempt(attempt + 1) }
}

const nothing: Omit<PreviewState, 'retry'> = {
  preview: undefined,
  problem: undefined,
  isStale: true,
}

export function PreviewPanel({ state }: { readonly state: PreviewState }) {
  const { preview, problem, isStale, retry } = state
  if (problem !== undefined) {
    if (problem.details.length === 0) {
      return <ProblemBox problem={problem} onRetry={retry} isManual />
    }
    return (
      <div class="stack small">
        <p class="soft">The preview appears when the rule is complete:</p>
        <ul class="alert-incomplete">
          {problem.details.map(({ field, rule }) => (
            <li key={`${field} ${rule}`}>
              <code>{field}</code> {rule}
            </li>
          ))}
        </ul>
      </div>
    )
  }
  if (preview === undefined) return <Skeleton lines={3} />
  return (
    <div class={isStale ? 'stack small alert-stale' : 'stack small'} aria-busy={isStale}>
      <Findings preview={preview} />
    </div>
  )
}

/** Why a rule, or a part of it, never fires or reaches nobody. */
export function Warnings({
  warnings,
}: {
  readonly warnings: readonly { readonly field: string; readonly rule: string }[]
}) {
  const texts = new Map(warnings.map((warning) => [`${warning.field} ${warning.rule}`, warning]))
  return (
    <>
      {[...texts].map(([key, { field, rule }]) => (
        <Notice key={key}>
          <code>{field}</code> {rule}
        </Notice>
      ))}
    </>
  )
}

const firingsShown = 8

function Findings({ preview }: { readonly preview: Preview }) {
  const { would_have_fired: firings, notification_count: notifications, unexamined } = preview
  const isExamined = unexamined.length === 0 || firings.length > 0
  const perDay = useMemo(() => countDays(firings), [firings])
  return (
    <>
      {firings.length === 0 ? (
        <p>{isExamined ? 'It would not have fired in the last 7 days.' : 'Nothing to preview.'}</p>
      ) : (
        <>
          <p aria-live="polite">
            In the last 7 days it would have fired{' '}
            <strong>
              {firings.length === 1 ? 'once' : `${formatNumber(firings.length)} times`}
            </strong>
            {preview.more && ' or more'}, in {countOf(notifications, 'notification')}.
          </p>
          <Sparkline values={perDay} unit="time" width={272} height={32} />
          <PreviewedIssues issues={preview.issues} />
          <details>
            <summary>When and why</summary>
            <ul class="alert-firings">
              {firings.slice(0, firingsShown).map((firing, index) => (
                <li key={`${firing.at} ${index}`}>
                  <Time at={firing.at} /> <span class="soft">{firing.reason}</span>
                </li>
              ))}
            </ul>
            {firings.length > firingsShown && (
              <p class="soft">and {formatNumber(firings.length - firingsShown)} more</p>
            )}
          </details>
        </>
      )}
      {unexamined.length > 0 && (
        <p class="soft">
          Not examined: {unexamined.map((type) => conditionLabel(type).toLowerCase()).join(', ')}.
        </p>
      )}
    </>
  )
}

function PreviewedIssues({ issues }: { readonly issues: Preview['issues'] }) {
  const projectId = useProjectId()
  if (issues.length === 0) return null
  return (
    <ul class="alert-preview-issues" aria-label="Issues that would have been notified">
      {issues.map(({ id, short_id: shortId, title, firing_count: count }) => (
        <li key={id}>
          <a
            class="truncate"
            href={projectPath(projectId, `issues/${id}`)}
            title={`${shortId} ${title}`}
          >
            {shortId} <bdi>{title}</bdi>
          </a>
          <span class="number soft">{formatNumber(count)}×</span>
        </li>
      ))}
    </ul>
  )
}

const dayMs = 86_400_000

function countDays(firings: Preview['would_have_fired']): readonly number[] {
  const days = new Array<number>(7).fill(0)
  const now = Date.now()
  for (const { at } of firings) {
    const ago = Math.min(6, Math.max(0, Math.floor((now - Date.parse(at)) / dayMs)))
    days[6 - ago] = (days[6 - ago] ?? 0) + 1
  }
  return days
}

/** Runs as bars, oldest first: a strip of equal bars, or with the duration as height. */
import { formatDuration } from '../../../design/content/format.ts'
import { Time } from '../../../design/content/time.tsx'
import {
  countWords,
  outcomeOf,
  type Run,
  runLabels,
  runOutcomes,
  runWords,
  timeOf,
} from './run-look.ts'
import './monitors.css'

export function RunStrip({
  runs,
  places,
}: {
  readonly runs: readonly Run[]
  readonly places: number
}) {
  const shown = [...runs].reverse().slice(-places)
  const free = Math.max(0, places - shown.length)
  return (
    <span class="run-strip" role="img" aria-label={`Last runs: ${countWords(shown)}`}>
      {Array.from({ length: free }, (_, index) => (
        <span key={`free-${index}`} class="run-bar run-none" />
      ))}
      {shown.map((run) => (
        <span key={run.id} class={`run-bar run-${outcomeOf(run)}`} title={runWords(run)} />
      ))}
    </span>
  )
}

/** Bars below this share of the height could not be seen. */
const heightMin = 0.04
/** A few runs are drawn at the right, not as wide bars. */
const placesMin = 30

export function RunChart({
  runs,
  maxRuntimeMs,
}: {
  readonly runs: readonly Run[]
  readonly maxRuntimeMs: number
}) {
  const shown = [...runs].reverse()
  const longest = Math.max(1, ...shown.map(({ duration_ms: ms }) => ms ?? 0))
  const used = new Set(shown.map(outcomeOf))
  const free = Math.max(0, placesMin - shown.length)
  const [first, last] = [free === 0 ? shown[0] : undefined, shown.at(-1)]
  const isLimitNear = maxRuntimeMs <= longest * 1.5
  const top = isLimitNear ? Math.max(longest, maxRuntimeMs) : longest
  return (
    <figure class="run-chart">
      <figcaption class="run-legend">
        {runOutcomes
          .filter((outcome) => used.has(outcome))
          .map((outcome) => (
            <span key={outcome}>
              <span class={`run-key run-${outcome}`} aria-hidden="true" />
              {runLabels[outcome]}
            </span>
          ))}
      </figcaption>
      <div
        class="run-plot"
        role="img"
        aria-label={`Duration of the last ${shown.length} runs: ${countWords(shown)}, longest ${formatDuration(longest)}`}
      >
        <span class="run-top small soft">{formatDuration(top)}</span>
        {isLimitNear && (
          <span class="run-limit" style={{ bottom: `${(maxRuntimeMs / top) * 100}%` }}>
            <span class="small">longest permitted</span>
          </span>
        )}
        {Array.from({ length: free }, (_, index) => (
          <span key={`free-${index}`} class="run-slot" />
        ))}
        {shown.map((run) => {
          const outcome = outcomeOf(run)
          // A missed run has no duration: the whole height shows the gap.
          const share = outcome === 'missed' ? 1 : Math.max((run.duration_ms ?? 0) / top, heightMin)
          return (
            <span key={run.id} class="run-slot" title={runWords(run)}>
              <span class={`run-bar run-${outcome}`} style={{ height: `${share * 100}%` }} />
            </span>
          )
        })}
      </div>
      <div class="run-axis small soft">
        <span>{first !== undefined && <Time at={timeOf(first)} />}</span>
        <span>{last !== undefined && <Time at={timeOf(last)} />}</span>
      </div>
    </figure>
  )
}

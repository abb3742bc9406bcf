/**
 * Estimates when a storage is full from its recent free bytes. The slope is the median of the
 * slopes of all pairs of samples (Theil-Sen), so that a deleted file or a burst of writes does not
 * change it. The last hour decides; the last minutes decide only if the storage is full within an
 * hour.
 */
interface Sample {
  readonly atMs: number
  readonly freeBytes: number
}

interface Window {
  readonly lengthMs: number
  /** Minimum time between two samples. */
  readonly everyMs: number
  /** No estimate is made from less. */
  readonly spanMsMin: number
}

const minuteMs = 60_000
const recent: Window = { lengthMs: 5 * minuteMs, everyMs: 9_000, spanMsMin: minuteMs }
const long: Window = { lengthMs: 60 * minuteMs, everyMs: minuteMs, spanMsMin: 10 * minuteMs }
const soonSeconds = 3_600
const samplesMin = 5

export class FillForecast {
  readonly #recent: Sample[] = []
  readonly #long: Sample[] = []

  /** @param atMs monotonic time */
  observe(freeBytes: number, atMs: number): void {
    add(this.#recent, recent, { atMs, freeBytes })
    add(this.#long, long, { atMs, freeBytes })
  }

  /** Infinity while it does not fill, or too little is known; 0 when it is full. */
  get secondsUntilFull(): number {
    const freeBytes = this.#recent.at(-1)?.freeBytes ?? Number.POSITIVE_INFINITY
    if (freeBytes <= 0) return 0
    const soon = secondsOf(freeBytes, slope(this.#recent, recent))
    const later = secondsOf(freeBytes, slope(this.#long, long))
    return soon < soonSeconds ? Math.min(soon, later) : later
  }
}

/** At most `lengthMs / everyMs` samples remain. */
function add(samples: Sample[], window: Window, sample: Sample): void {
  const last = samples.at(-1)
  if (last !== undefined && sample.atMs - last.atMs < window.everyMs) return
  samples.push(sample)
  while (samples[0]!.atMs < sample.atMs - window.lengthMs) samples.shift()
}

/** Bytes per second; negative while free bytes decrease. 0 if too little is known. */
function slope(samples: readonly Sample[], { spanMsMin }: Window): number {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || samples.length < samplesMin) return 0
  if (last.atMs - first.atMs < spanMsMin) return 0
  const slopes: number[] = []
  for (const [at, later] of samples.entries()) {
    for (let before = 0; before < at; before += 1) {
      const earlier = samples[before]!
      const seconds = (later.atMs - earlier.atMs) / 1000
      slopes.push((later.freeBytes - earlier.freeBytes) / seconds)
    }
  }
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)]!
}

function secondsOf(freeBytes: number, bytesPerSecond: number): number {
  return bytesPerSecond < 0 ? freeBytes / -bytesPerSecond : Number.POSITIVE_INFINITY
}

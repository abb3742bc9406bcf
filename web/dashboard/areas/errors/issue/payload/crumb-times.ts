/** Where breadcrumbs lie on an axis of time that ends at the crash. */

const steps = [
  [0.001, '1 ms'],
  [0.01, '10 ms'],
  [0.1, '100 ms'],
  [1, '1 s'],
  [10, '10 s'],
  [60, '1 min'],
  [600, '10 min'],
  [3_600, '1 h'],
  [86_400, '1 d'],
] as const

/** Milliseconds from each breadcrumb to the crash; undefined without a valid time. */
export function crumbOffsets(
  times: readonly (string | undefined)[],
  crashAt: string,
): readonly (number | undefined)[] {
  const crashMs = Date.parse(crashAt)
  return times.map((time) => {
    const ms = time === undefined ? Number.NaN : Date.parse(time)
    const offset = crashMs - ms
    return Number.isFinite(offset) ? offset : undefined
  })
}

/**
 * From 0 (the oldest) to 1 (the crash), by the logarithm: the last second before a crash tells more
 * than the hour before it.
 */
export function axisPosition(offsetMs: number, oldestMs: number): number {
  const oldest = Math.max(oldestMs, 1)
  const offset = Math.min(Math.max(offsetMs, 0), oldest)
  return 1 - Math.log1p(offset) / Math.log1p(oldest)
}

export interface AxisTick {
  readonly label: string
  readonly position: number
}

const ticksMax = 5
/** From here on a label would touch that of the crash, also on a phone. */
const positionMax = 0.86

export function axisTicks(oldestMs: number): readonly AxisTick[] {
  const ticks = steps
    .filter(([seconds]) => seconds * 1_000 <= oldestMs)
    .map(([seconds, label]) => ({
      label: `−${label}`,
      position: axisPosition(seconds * 1_000, oldestMs),
    }))
    .filter(({ position }) => position <= positionMax)
  const every = Math.ceil(ticks.length / ticksMax)
  return ticks.toReversed().filter((_, index) => index % every === 0)
}

/** `−1.2 s`, `−3 min 5 s`, `+40 ms` for what was noted after the crash. */
export function formatOffset(offsetMs: number): string {
  const size = Math.abs(offsetMs)
  const sign = offsetMs < 0 ? '+' : '−'
  if (size < 1_000) return `${sign}${Math.round(size)} ms`
  if (size < 60_000) return `${sign}${(size / 1_000).toFixed(size < 10_000 ? 2 : 1)} s`
  const [large, largeName, small, smallName] =
    size < 3_600_000
      ? [60_000, 'min', 1_000, 's']
      : size < 86_400_000
        ? [3_600_000, 'h', 60_000, 'min']
        : [86_400_000, 'd', 3_600_000, 'h']
  const whole = Math.floor(size / large)
  const rest = Math.floor((size % large) / small)
  return `${sign}${whole} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** `40 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationWords(ms: number): string {
  const whole = Math.max(0, ms)
  if (whole < minuteMs) return `${Math.round(whole / secondMs)} s`
  if (whole < hourMs) return pair(whole, minuteMs, 'min', secondMs, 's')
  return pair(whole, hourMs, 'h', minuteMs, 'min')
}

function pair(ms: number, large: number, name: string, small: number, rest: string): string {
  const left = Math.floor((ms % large) / small)
  const first = `${Math.floor(ms / large)} ${name}`
  return left === 0 ? first : `${first} ${left} ${rest}`
}

/** The progress of a campaign as one line, which the next one overwrites in the terminal. */
import type { Sending } from '#schemas/rest/email/sending.ts'

const barCharacters = 24
/** Columns that a line is padded to, so that it covers a longer line before it. */
const lineCharacters = 100

export function progressLine(sending: Sending): string {
  const done = sending.audience - sending.waiting
  const share = sending.audience === 0 ? 0 : done / sending.audience
  const filled = Math.floor(share * barCharacters)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barCharacters - filled)}`
  const rate = sending.ratePerSecond === null ? '' : ` · ${sending.ratePerSecond}/s`
  const eta = sending.etaSeconds === null ? '' : ` · ${duration(sending.etaSeconds)} left`
  const odd = (['failed', 'skipped', 'uncertain'] as const)
    .filter((name) => sending[name] > 0)
    .map((name) => ` · ${sending[name]} ${name}`)
    .join('')
  const line = `${bar} ${Math.floor(share * 100)} % · ${done} of ${sending.audience}${odd}${rate}${eta} · ${sending.state}`
  return line.padEnd(lineCharacters)
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

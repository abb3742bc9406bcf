/** What became of the recipients of a campaign, for the bar and the numbers below it. */

interface Numbers {
  readonly audience: number
  readonly waiting: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly uncertain: number
  readonly cancelled: number
}

export interface SendingPart {
  readonly name: Exclude<keyof Numbers, 'audience'>
  readonly label: string
  readonly value: number
  /** Of the audience, from 0 to 1. */
  readonly share: number
}

const labels = {
  sent: 'Sent',
  failed: 'Failed',
  uncertain: 'Uncertain',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
  waiting: 'Waiting',
} as const

const always: ReadonlySet<string> = new Set(['sent', 'failed', 'waiting'])

/** Without the rare ones that are 0. */
export function sendingParts(numbers: Numbers): SendingPart[] {
  return (Object.keys(labels) as (keyof typeof labels)[])
    .map((name) => ({
      name,
      label: labels[name],
      value: numbers[name],
      share: numbers.audience === 0 ? 0 : numbers[name] / numbers.audience,
    }))
    .filter(({ name, value }) => value > 0 || always.has(name))
}

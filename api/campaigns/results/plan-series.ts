/** The points of the chart of a campaign's results: hours for three days, days afterwards. */
import type { CampaignResults } from '#schemas/rest/email/campaign-admin.ts'

export interface SeriesPlan {
  readonly step: CampaignResults['step']
  readonly since: Date
  readonly stepSeconds: number
  readonly points: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const hoursMax = 72
const daysMax = 400

/** Nothing before the campaign was sent. */
export function planSeries(sentAt: Date | null, now: Date): SeriesPlan | undefined {
  if (sentAt === null) return undefined
  const ageMs = Math.max(now.getTime() - sentAt.getTime(), 0)
  const step = ageMs < hoursMax * hourMs ? 'hour' : 'day'
  const stepMs = step === 'hour' ? hourMs : dayMs
  const sinceMs = Math.floor(sentAt.getTime() / stepMs) * stepMs
  const points = Math.floor((now.getTime() - sinceMs) / stepMs) + 1
  return {
    step,
    since: new Date(sinceMs),
    stepSeconds: stepMs / 1_000,
    points: Math.min(Math.max(points, 1), daysMax),
  }
}

/** The step that a time belongs to. */
export function stepOf({ since, stepSeconds }: SeriesPlan, at: Date): number {
  return Math.floor((at.getTime() - since.getTime()) / (stepSeconds * 1_000))
}

type Point = CampaignResults['series'][number]
type Counts = Omit<Point, 'at'>

const noCounts: Counts = {
  sent: 0,
  opens: 0,
  clicks: 0,
  unsubscribes: 0,
  hardBounces: 0,
  softBounces: 0,
  complaints: 0,
}
const countNames = Object.keys(noCounts) as readonly (keyof Counts)[]

/** One point for each step; what came after the last one is left out. */
export function fillSeries(
  plan: SeriesPlan,
  counted: readonly (Partial<Point> & { readonly step: number })[],
): Point[] {
  const points = Array.from({ length: plan.points }, (_, index) => ({
    at: new Date(plan.since.getTime() + index * plan.stepSeconds * 1_000).toISOString(),
    ...noCounts,
  }))
  for (const { step, ...counts } of counted) {
    const point = points[step]
    if (point === undefined) continue
    for (const name of countNames) point[name] += counts[name] ?? 0
  }
  return points
}

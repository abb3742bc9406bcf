/** What each screen of the dashboard requests, for a project that fill-events.ts has filled. */
import { systemClock } from '#platform/clock.ts'
import { customerOf, placeOf, words } from './fill-events.ts'

export interface Sample {
  /** Ids of issues, from the most frequent to rare ones. */
  readonly issues: readonly string[]
  readonly latestRelease: string
  readonly issueCount: number
}

/** Returns the body of the reply. */
export type Get = (path: string) => Promise<unknown>

export interface Screen {
  readonly name: string
  /** A screen that this build does not have is left out. */
  readonly mayBeMissing?: boolean
  /** `round` counts up, so that requests differ. */
  readonly open: (get: Get, sample: Sample, round: number) => Promise<unknown>
}

const listedDays = 14
const encode = encodeURIComponent
const at = <T>(values: readonly T[], round: number): T => values[round % values.length]!

function issues(name: string, query: (round: number, sample: Sample) => string): Screen {
  return {
    name: `issues, ${name}`,
    open: (get, sample, round) => get(listPath(query(round, sample))),
  }
}

/** The dashboard lists issues of the last 14 days unless another period is chosen. */
export function listPath(query: string): string {
  const sinceMs = Math.floor((systemClock.nowMs() - listedDays * 86_400_000) / 60_000) * 60_000
  return `/issues?limit=50&since=${new Date(sinceMs).toISOString()}&${query}`
}

function search(name: string, query: (round: number, sample: Sample) => string): Screen {
  return issues(name, (round, sample) => `query=${encode(query(round, sample))}`)
}

function one(name: string, path: (round: number, sample: Sample) => string): Screen {
  return { name, open: (get, sample, round) => get(path(round, sample)) }
}

/** The page of an issue: the issue, and the event that helps most. */
function issuePage(name: string, choose: (sample: Sample, round: number) => string): Screen {
  return {
    name,
    open: async (get, sample, round) => {
      const id = choose(sample, round)
      await Promise.all([get(`/issues/${id}`), get(`/issues/${id}/events/recommended`)])
    },
  }
}

export const screens: readonly Screen[] = [
  { ...one('overview', () => '/overview'), mayBeMissing: true },
  issues('by last seen', () => 'sort=last_seen'),
  issues('by first seen', () => 'sort=first_seen'),
  issues('by events', () => 'sort=count'),
  issues('by users', () => 'sort=users'),
  issues('by trend', () => 'sort=trend'),
  issues('unresolved', () => 'status=unresolved'),
  issues('assigned to nobody, ignored', () => 'status=ignored&assignee=none&sort=count'),
  search('is: and level:', () => 'is:unresolved level:fatal'),
  search('release:', (_, { latestRelease }) => `release:${latestRelease}`),
  search('environment:', (round) => `environment:${at(words.environments, round)}`),
  search('url:', (round) => `url:*/${at(words.routes, round)}/*`),
  search('url:, rare', (round) => `url:https://shop.example/checkout/${(round * 7919) % 100_000}`),
  search('transaction:', (round) => `transaction:"GET /${at(words.routes, round)}/:id"`),
  search('a tag', (round) => `region:${at(words.regions, round)}`),
  search('a tag, rare', (round) => `customer:${customerOf(round)}`),
  search('user.email:', (round) => `user.email:user${1 + round * 37}@example.com`),
  search('os.name:', () => 'os.name:iOS'),
  search('free text', (round) => at(words.routes, round)),
  search('free text, rare', (round, { issueCount }) => placeOf(issueCount - round * 31)),
  search('several', () => 'is:unresolved environment:production !browser:Chrome cannot'),
  issuePage('issue page', ({ issues: ids }, round) => at(ids, round)),
  issuePage('issue page, largest', ({ issues: ids }) => ids[0]!),
  one(
    "an issue's events",
    (round, sample) => `/issues/${at(sample.issues, round)}/events?limit=50`,
  ),
  one("an issue's latest event", (round, sample) => {
    return `/issues/${at(sample.issues, round)}/events/latest`
  }),
  one('events', () => '/events?limit=50'),
  one(
    'events, url:',
    (round) => `/events?limit=50&query=${encode(`url:*/${at(words.routes, round)}/*`)}`,
  ),
  one('events, a user', (round) => `/events?limit=50&query=${encode(`user.id:${1 + round * 37}`)}`),
  one('tags', () => '/tags'),
  one('values of a tag', () => '/tags/region/values'),
  one(
    'values of a tag, many',
    (round) => `/tags/customer/values?prefix=customer-${1 + (round % 9)}`,
  ),
  one(
    'values of url',
    (round) =>
      `/tags/url/values?prefix=${encode(`https://shop.example/${at(words.routes, round)}`)}`,
  ),
  one('values of release', () => '/tags/release/values?prefix=shop'),
  one('triage', () => '/triage?limit=50'),
  one('triage numbers', () => '/triage/stats'),
  one('releases', () => '/releases?limit=50'),
  one('one release', (_, { latestRelease }) => `/releases/${encode(latestRelease)}`),
  one('outcomes, a day', () => '/outcomes?interval=hour'),
  one('outcomes, a month', () => '/outcomes?interval=day&group_by=outcome,reason,category'),
  one('monitors', () => '/monitors?limit=50'),
  one("a monitor's runs", (round) => `/monitors/job-${1 + (round % 50)}/runs?limit=50`),
]

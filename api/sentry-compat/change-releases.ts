/** One request of a client of Sentry as actions on the releases of each project it names. */
import { CodedError } from '#schemas/error-codes.ts'
import type { Caller } from '../auth/access-token.ts'
import type { ApiContext } from '../context.ts'
import { joinTransaction } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { setReleaseCommits } from '../releases/commits/set-release-commits.ts'
import { createRelease } from '../releases/create-release.ts'
import { createDeploy } from '../releases/deploys/create-deploy.ts'
import { findCompatReleases } from './compat-release-store.ts'
import { deployView, releaseView } from './compat-view.ts'
import { findProjects } from './find-projects.ts'
import { commitsOf, type SentDeploy, type SentRelease } from './sentry-bodies.ts'

interface Target {
  readonly caller: Pick<Caller, 'organizationId'>
  readonly version: string
}

/** All projects or none. */
export async function changeReleases(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  target: Target,
  sent: SentRelease,
) {
  if (sent.refs !== null && sent.refs !== undefined && sent.refs.length > 0 && !sent.commits) {
    const rule = 'need a repository that the server can read; send the commits instead'
    throw invalidField('refs', `${rule}: sentry-cli releases set-commits --local`)
  }
  if (sent.status !== null && sent.status !== undefined && sent.status !== 'open') {
    throw invalidField('status', 'must be open: releases are not archived')
  }
  const projects = await projectsOf(ctx, target, sent.projects)
  if (projects.length === 0) {
    throw invalidField(
      'projects',
      'must name at least one project, for a release that is not known',
    )
  }
  const { version } = target
  const change = {
    version,
    ...(sent.url ? { url: sent.url } : {}),
    ...(sent.dateReleased ? { date_released: sent.dateReleased } : {}),
  }
  const commits = sent.commits ? commitsOf(sent.commits) : undefined
  await ctx.pg.transaction(async (client) => {
    const inside = { pg: joinTransaction(client), clock: ctx.clock }
    for (const project of projects) {
      await createRelease(inside, { project, release: change })
      if (commits !== undefined) await setReleaseCommits(inside, { project, version, commits })
    }
  })
  return showRelease(ctx, target)
}

export async function createDeploys(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  target: Target,
  sent: SentDeploy,
) {
  const projects = await projectsOf(ctx, target, sent.projects)
  const first = projects[0]
  if (first === undefined) throw new CodedError('not_found')
  const deploy = {
    environment: sent.environment,
    name: sent.name ?? null,
    url: sent.url ?? null,
    started_at: sent.dateStarted ?? null,
    finished_at: sent.dateFinished ?? null,
  }
  const created = await ctx.pg.transaction(async (client) => {
    const inside = { pg: joinTransaction(client), clock: ctx.clock }
    const made = []
    for (const project of projects) {
      made.push(await createDeploy(inside, { project, version: target.version, deploy }))
    }
    return made
  })
  return deployView(created[0]!)
}

export async function showRelease(ctx: Pick<ApiContext, 'pg'>, { caller, version }: Target) {
  const { organizationId } = caller
  const rows = await findCompatReleases(ctx.pg, { organizationId, version })
  if (rows.length === 0) throw new CodedError('not_found')
  return releaseView(rows)
}

/** The named projects, else those that have the release. */
async function projectsOf(
  ctx: Pick<ApiContext, 'pg'>,
  { caller, version }: Target,
  names: SentRelease['projects'],
) {
  const { organizationId } = caller
  if (names !== undefined && names.length > 0) {
    return findProjects(ctx.pg, { organizationId, names })
  }
  const rows = await findCompatReleases(ctx.pg, { organizationId, version })
  return rows.map(({ project_id: dsnId }) => ({ dsnId }))
}

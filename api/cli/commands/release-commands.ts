/** `release`: what a build or a deployment says about a release, also before its first event. */
import { Instant } from '#schemas/rest/page.ts'
import { NewDeploy, WebUrl } from '#schemas/rest/releases/deploy.ts'
import { NewRelease } from '#schemas/rest/releases/release-changes.ts'
import { createRelease } from '../../releases/create-release.ts'
import { createDeploy } from '../../releases/deploys/create-deploy.ts'
import { listDeploys } from '../../releases/deploys/list-deploys.ts'
import { updateRelease } from '../../releases/update-release.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'
import { orUnknown } from './project-actor.ts'

const changeFlags = {
  ...projectFlag,
  '--url <url>': 'a page about the release',
  '--released <time>': 'when it was made available, such as 2026-11-21T01:02:03Z, or now',
}

export const releaseVerbs: readonly VerbPlan[] = [
  {
    verb: 'create',
    operation: 'createRelease',
    summary: 'Name a release before its first event',
    operand: 'release',
    flags: changeFlags,
    run: async (run) => {
      const release = { version: versionIn(run), ...changeIn(run) }
      const { isNew: _, ...record } = await createRelease(run.session, {
        project: await projectIn(run),
        release,
      })
      return record
    },
  },
  {
    verb: 'update',
    operation: 'updateRelease',
    summary: 'Set the URL of a release, or when it was made available',
    operand: 'release',
    flags: changeFlags,
    run: async (run) => {
      const version = versionIn(run)
      const change = changeIn(run)
      if (Object.keys(change).length === 0) {
        throw new UsageError('Say what to change: --url or --released.')
      }
      const input = { project: await projectIn(run), version, change }
      return { ...(await orUnknown(unknown(version), updateRelease(run.session, input))) }
    },
  },
  {
    verb: 'deploy',
    operation: 'createDeploy',
    summary: 'Say that a release was put into an environment',
    operand: 'release',
    flags: {
      ...projectFlag,
      '--environment <name>': 'such as production!',
      '--name <name>': 'a name of the deploy',
      '--url <url>': 'a page about the deploy',
      '--started <time>': 'when it began',
      '--finished <time>': 'when it ended; default: now',
    },
    run: async (run) => {
      const { flags } = run
      const deploy = {
        environment: check(NewDeploy.shape.environment, '--environment', flags.environment),
        name: check(NewDeploy.shape.name, '--name', flags.name),
        url: check(WebUrl.optional(), '--url', flags.url),
        started_at: timeIn(run, '--started', flags.started),
        finished_at: timeIn(run, '--finished', flags.finished),
      }
      const input = { project: await projectIn(run), version: versionIn(run), deploy }
      return { ...(await createDeploy(run.session, input)) }
    },
  },
  {
    verb: 'deploys',
    operation: 'listDeploys',
    summary: 'List the deploys of a release, newest first',
    operand: 'release',
    flags: projectFlag,
    run: async (run) => {
      const version = versionIn(run)
      const input = { project: await projectIn(run), version }
      const { items } = await orUnknown(unknown(version), listDeploys(run.session, input))
      return items.map((item) => ({ ...item }))
    },
  },
]

function versionIn({ flags }: Run): string {
  return check(NewRelease.shape.version, 'The version', flags.release ?? '')
}

async function projectIn(run: Run) {
  const { dsn_id: dsnId } = await namedProject(run)
  return { dsnId }
}

function changeIn(run: Run) {
  const url = check(WebUrl.optional(), '--url', run.flags.url)
  const released = timeIn(run, '--released', run.flags.released)
  return {
    ...(url === undefined ? {} : { url }),
    ...(released === undefined ? {} : { date_released: released }),
  }
}

function timeIn({ session }: Run, flag: string, text: string | undefined): string | undefined {
  if (text === 'now') return new Date(session.clock.nowMs()).toISOString()
  return check(Instant.optional(), flag, text)
}

function unknown(version: string): string {
  return `The project has no release ${version}.`
}

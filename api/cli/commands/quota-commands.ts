/** `quota`: what a project may send, and what it has sent. */
import { z } from 'zod'
import { QuotaChange } from '#schemas/rest/quota.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { findProject } from '../../projects/project-store.ts'
import { changeQuota } from '../../quota/quota-store.ts'
import { reportQuota } from '../../quota/report-quota.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'
import { withActor } from '../with-actor.ts'

export const quotaVerbs: readonly VerbPlan[] = [
  {
    verb: 'set',
    summary: 'Limit what a project may send; what is not named stays as it is',
    flags: {
      ...projectFlag,
      '--monthly-events <number>': 'events a month (UTC), or none',
      '--per-minute <number>': 'events a minute, or none',
      '--per-issue <number>': 'events of one issue a minute that are stored in full, or none',
    },
    run: async (run) => {
      const { monthlyEvents, perMinute, perIssue } = run.flags
      const { shape } = QuotaChange
      const change = {
        ...limit('monthly_events', shape.monthly_events, '--monthly-events', monthlyEvents),
        ...limit('per_minute', shape.per_minute, '--per-minute', perMinute),
        ...limit('per_issue_per_minute', shape.per_issue_per_minute, '--per-issue', perIssue),
      }
      if (Object.keys(change).length === 0) {
        throw new UsageError('Say which limit: --monthly-events, --per-minute or --per-issue.')
      }
      const project = await projectOf(run)
      await withActor(run, async (client, actor) => {
        await changeQuota(client, project.dsnId, change)
        await addAudit(client, actor, {
          action: 'quota.changed',
          subjectType: 'project',
          subjectId: project.id,
          details: change,
        })
      })
      return printedQuota(run, project)
    },
  },
  {
    verb: 'show',
    summary: 'Show the limits of a project and what was used of them',
    flags: projectFlag,
    run: async (run) => printedQuota(run, await projectOf(run)),
  },
]

/** A limit on the command line: a number, or `none`. */
export const LimitText = z
  .string()
  .regex(/^(?:none|\d{1,15})$/, 'it must be a whole number, or none')
  .transform((text) => (text === 'none' ? null : Number(text)))

function limit<Name extends keyof QuotaChange>(
  name: Name,
  shape: z.ZodType,
  flag: string,
  text: string | undefined,
): QuotaChange {
  if (text === undefined) return {}
  const number = check(LimitText, flag, text)
  check(shape, flag, number)
  return { [name]: number }
}

async function projectOf(run: Run) {
  const { id, organizationId } = await namedProject(run)
  const project = await findProject(run.session.pg, { id, organizationId })
  if (project === undefined) throw new UsageError('The project is gone.')
  return project
}

async function printedQuota({ session }: Run, project: Awaited<ReturnType<typeof projectOf>>) {
  return { ...(await reportQuota(project, session.clock.nowMs(), session)) }
}

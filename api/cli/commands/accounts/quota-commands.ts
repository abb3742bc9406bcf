/** `quota`: the event limits of a project and their use. */
import type { z } from 'zod'
import { QuotaChange } from '#schemas/rest/quota.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import type { StoredProject } from '../../../projects/project-store.ts'
import { reportQuota } from '../../../quota/report-quota.ts'
import { updateQuota } from '../../../quota/update-quota.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { LimitText } from '../../limit-text.ts'
import { namedProject, projectFlag } from '../../named-project.ts'
import { UsageError } from '../../usage-error.ts'

export const quotaVerbs: readonly VerbPlan[] = [
  {
    verb: 'update',
    aliases: ['set'],
    operation: 'updateQuota',
    summary: 'Update the limits of a project; a limit that is not given keeps its value',
    flags: {
      ...projectFlag,
      '--monthly-events <number>': 'events per calendar month (UTC), or none',
      '--per-minute <number>': 'events per minute, or none',
      '--per-issue <number>': 'events per minute of one issue that are stored in full, or none',
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
      const { project, organizationId } = await projectOf(run)
      const actor = commandLineActor(organizationId)
      return { ...(await updateQuota(run.session, actor, { project, change })) }
    },
  },
  {
    verb: 'show',
    operation: 'getQuota',
    summary: 'Show the limits of a project and their use',
    flags: projectFlag,
    run: async (run) => {
      const { project } = await projectOf(run)
      return { ...(await reportQuota(project, run.session.clock.nowMs(), run.session)) }
    },
  },
]

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

async function projectOf(run: Run): Promise<{ project: StoredProject; organizationId: string }> {
  const { id, dsn_id: dsnId, short_name: shortName, organizationId } = await namedProject(run)
  return { project: { id, dsnId, shortName }, organizationId }
}

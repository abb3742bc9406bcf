/** `feedback`: what people said about a project, sorted, brought in and taken out. */

import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import { MiB } from '#schemas/limits.ts'
import {
  FeedbackChange,
  FeedbackFilter,
  FeedbackStatus,
  FeedbackType,
} from '#schemas/rest/portal/feedback.ts'
import { addAudit, commandLineActor } from '../../audit/audit-store.ts'
import { exportFeedback } from '../../feedback/export-feedback.ts'
import { findFeedback, listFeedback } from '../../feedback/feedback-store.ts'
import { feedbackItem } from '../../feedback/feedback-view.ts'
import { changeFeedback, deleteFeedback } from '../../feedback/feedback-writes.ts'
import { importFeedback } from '../../feedback/import-feedback.ts'
import { check } from '../check.ts'
import type { Run, VerbPlan } from '../command.ts'
import { checkExportFile, forceFlag, writeExportFile } from '../export-file.ts'
import { namedProject, projectFlag } from '../named-project.ts'
import { UsageError } from '../usage-error.ts'

const itemsShownMax = 100
const fileBytesMax = 50 * MiB

export const feedbackVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    summary: 'List the feedback of a project, newest first, at most 100',
    flags: {
      ...projectFlag,
      '--status <status>': 'New, Active, Assigned, Hold, Resolved or Closed',
      '--type <type>': 'Bug, Feature, Improvement, Question, Praise or Other',
      '--search <text>': 'words of the message',
    },
    run: async (run) => {
      const { status, type, search } = run.flags
      const filter = {
        ...(status === undefined ? {} : { status: check(FeedbackStatus, '--status', status) }),
        ...(type === undefined ? {} : { type: check(FeedbackType, '--type', type) }),
        ...(search === undefined
          ? {}
          : { search: check(FeedbackFilter.shape.search, '--search', search) }),
      }
      const project = await projectOf(run)
      const list = { dsnId: project.dsnId, filter, offset: 0, limit: itemsShownMax }
      const { items } = await listFeedback(run.session.pg, list)
      return items.map(feedbackItem)
    },
  },
  {
    verb: 'change',
    summary: 'Change the status or the type of a feedback item',
    operand: 'id',
    flags: {
      ...projectFlag,
      '--status <status>': 'New, Active, Assigned, Hold, Resolved or Closed',
      '--type <type>': 'Bug, Feature, Improvement, Question, Praise or Other',
    },
    run: async (run) => {
      const { status, type } = run.flags
      return changeOne(run, check(FeedbackChange, '--status or --type', { status, type }))
    },
  },
  {
    verb: 'archive',
    summary: 'Put a feedback item away: lists no longer show it',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => changeOne(run, { archived: true }),
  },
  {
    verb: 'restore',
    summary: 'Bring an archived feedback item back',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => changeOne(run, { archived: false }),
  },
  {
    verb: 'delete',
    summary: 'Delete a feedback item for good',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const { dsnId, organizationId } = await projectOf(run)
      const id = idIn(run)
      return run.session.pg.transaction(async (client) => {
        if ((await deleteFeedback(client, { dsnId, ids: [id] })) === 0) throw unknownItem(id)
        await addAudit(client, commandLineActor(organizationId), {
          ...{ action: 'feedback.deleted', subjectType: 'feedback', subjectId: id },
        })
        return { id, deleted: true }
      })
    },
  },
  {
    verb: 'import',
    summary: 'Read feedback from a file (.csv or .json); what is there already stays as it is',
    operand: 'file',
    flags: { ...projectFlag, '--dry-run': 'say what would be added, and add nothing' },
    run: async (run) => {
      const path = String(run.flags.file)
      const format = formatOf(path)
      const text = await textOf(path)
      const project = await projectOf(run)
      const dryRun = run.flags.dryRun === true
      const now = new Date(run.session.clock.nowMs())
      return run.session.pg.transaction(async (client) => {
        const report = await importFeedback(client, { project, text, format, now, dryRun })
        const { mistakes, notes, ...details } = report
        if (!dryRun) {
          await addAudit(client, commandLineActor(project.organizationId), {
            ...{ action: 'feedback.imported', subjectType: 'project', subjectId: project.id },
            details,
          })
        }
        const lines = (list: typeof mistakes) =>
          run.flags.json
            ? list
            : list.map(({ row, field, rule }) => `row ${row}, ${field}: ${rule}`)
        return { ...details, mistakes: lines(mistakes), notes: lines(notes) }
      })
    },
  },
  {
    verb: 'export',
    summary: 'Write all feedback of a project to a file (.csv or .json)',
    operand: 'file',
    flags: { ...projectFlag, ...forceFlag },
    run: async (run) => {
      const file = { path: String(run.flags.file), force: run.flags.force }
      const format = formatOf(file.path)
      await checkExportFile(file)
      const project = await projectOf(run)
      await addAudit(run.session.pg, commandLineActor(project.organizationId), {
        ...{ action: 'feedback.exported', subjectType: 'project', subjectId: project.id },
      })
      return writeExportFile(file, exportFeedback(run.session.pg, project.dsnId, format))
    },
  },
]

async function projectOf(run: Run) {
  const { id, dsn_id, organizationId } = await namedProject(run)
  return { id, dsnId: Number(dsn_id), organizationId }
}

async function changeOne(run: Run, change: FeedbackChange) {
  const { dsnId, organizationId } = await projectOf(run)
  const id = idIn(run)
  const at = new Date(run.session.clock.nowMs())
  return run.session.pg.transaction(async (client) => {
    await changeFeedback(client, { dsnId, ids: [id], change, at })
    const item = await findFeedback(client, { dsnId, id })
    if (item === undefined) throw unknownItem(id)
    await addAudit(client, commandLineActor(organizationId), {
      ...{ action: 'feedback.changed', subjectType: 'feedback', subjectId: id, details: change },
    })
    return { ...feedbackItem(item) }
  })
}

function idIn(run: Run): string {
  return check(z.uuid(), 'The id', run.flags.id).toLowerCase()
}

function unknownItem(id: string): UsageError {
  return new UsageError(`No feedback of this project is called ${id}: see \`feedback list\`.`)
}

function formatOf(path: string): 'csv' | 'json' {
  if (path.toLowerCase().endsWith('.csv')) return 'csv'
  if (path.toLowerCase().endsWith('.json')) return 'json'
  throw new UsageError(`The file ${path} must end in .csv or .json.`)
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (fileBytesMax < size) throw new UsageError(`The file ${path} is larger than 50 MiB.`)
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`The file ${path} cannot be read.`, { cause })
  }
}

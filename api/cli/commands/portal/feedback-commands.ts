/** `feedback`: feedback about a project. */
import {
  FeedbackChange,
  FeedbackFilter,
  FeedbackStatus,
  FeedbackType,
  NewFeedback,
} from '#schemas/rest/portal/feedback.ts'
import { createFeedback } from '../../../feedback/create-feedback.ts'
import { deleteFeedback } from '../../../feedback/delete-feedback.ts'
import { findFeedback, listFeedback } from '../../../feedback/feedback-store.ts'
import { feedbackItem } from '../../../feedback/feedback-view.ts'
import { updateFeedback } from '../../../feedback/update-feedback.ts'
import { found } from '../../../http/route.ts'
import { check } from '../../check.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'
import { feedbackFileVerbs } from './feedback-file-commands.ts'

const itemsShownMax = 100
const statusFlag = { '--status <status>': 'New, Active, Assigned, Hold, Resolved or Closed' }
const typeFlag = { '--type <type>': 'Bug, Feature, Improvement, Question, Praise or Other' }

export const feedbackVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listFeedback',
    summary: 'List the feedback of a project, newest first, at most 100',
    flags: {
      ...projectFlag,
      ...statusFlag,
      ...typeFlag,
      '--search <text>': 'words of the message',
    },
    run: async (run) => {
      const { status, type, search } = run.flags
      const filter = {
        ...(status && { status: check(FeedbackStatus, '--status', status) }),
        ...(type && { type: check(FeedbackType, '--type', type) }),
        ...(search && { search: check(FeedbackFilter.shape.search, '--search', search) }),
      }
      const { dsnId } = await projectAndActor(run)
      const list = { dsnId, filter, offset: 0, limit: itemsShownMax }
      return (await listFeedback(run.session.pg, list)).items.map(feedbackItem)
    },
  },
  {
    verb: 'show',
    operation: 'getFeedback',
    summary: 'Show a feedback item',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = idIn(run)
      const { dsnId } = await projectAndActor(run)
      const find = async () => found(await findFeedback(run.session.pg, { dsnId, id }))
      return { ...feedbackItem(await orUnknown(unknown(id), find())) }
    },
  },
  {
    verb: 'create',
    operation: 'createFeedback',
    summary: 'Create a feedback item',
    flags: {
      ...projectFlag,
      '--message <text>': 'what the person said!',
      ...statusFlag,
      ...typeFlag,
    },
    run: async (run) => {
      const { message, status, type } = run.flags
      const feedback = check(NewFeedback, '--message, --status or --type', {
        message,
        ...(status && { status }),
        ...(type && { type }),
      })
      const { dsnId, actor } = await projectAndActor(run)
      return { ...feedbackItem(await createFeedback(run.session, actor, { dsnId, feedback })) }
    },
  },
  {
    verb: 'update',
    aliases: ['change'],
    operation: 'updateFeedback',
    summary: 'Change the status or the type of a feedback item',
    operand: 'id',
    flags: { ...projectFlag, ...statusFlag, ...typeFlag },
    run: (run) => {
      const { status, type } = run.flags
      return update(run, check(FeedbackChange, '--status or --type', { status, type }))
    },
  },
  {
    verb: 'archive',
    operation: 'updateFeedback',
    summary: 'Archive a feedback item, so that lists omit it',
    operand: 'id',
    flags: projectFlag,
    run: (run) => update(run, { archived: true }),
  },
  {
    verb: 'restore',
    operation: 'updateFeedback',
    summary: 'Restore an archived feedback item',
    operand: 'id',
    flags: projectFlag,
    run: (run) => update(run, { archived: false }),
  },
  {
    verb: 'delete',
    operation: 'deleteFeedback',
    summary: 'Delete a feedback item; this cannot be undone',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const id = idIn(run)
      const { dsnId, actor } = await projectAndActor(run)
      await orUnknown(unknown(id), deleteFeedback(run.session, actor, { dsnId, id }))
      return { id, deleted: true }
    },
  },
  ...feedbackFileVerbs,
]

async function update(run: Run, change: FeedbackChange) {
  const id = idIn(run)
  const { dsnId, actor } = await projectAndActor(run)
  const updated = updateFeedback(run.session, actor, { dsnId, id, change })
  return { ...feedbackItem(await orUnknown(unknown(id), updated)) }
}

function unknown(id: string): string {
  return `No feedback of this project is called ${id}: see \`feedback list\`.`
}

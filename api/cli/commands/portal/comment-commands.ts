/** `comment`: lists and changes comments on ideas. `idea comment` writes one. */
import { CommentBody } from '#schemas/rest/portal/comment.ts'
import { AdminCommentQuery } from '#schemas/rest/portal/comment-admin.ts'
import { deleteComment } from '../../../comments/delete-comment.ts'
import { listCommentPage } from '../../../comments/list-comments.ts'
import { updateComment } from '../../../comments/update-comment.ts'
import { check } from '../../check.ts'
import type { VerbPlan } from '../../command.ts'
import { projectFlag } from '../../named-project.ts'
import { idIn, orUnknown, projectAndActor } from '../project-actor.ts'

const commentsShownMax = 100

export const commentVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listComments',
    summary: 'List the comments of all ideas, newest first, at most 100',
    flags: {
      ...projectFlag,
      '--moderation <moderation>': 'published, pending or rejected',
      '--idea <id>': 'comments on this idea',
      '--author <author>': 'team, or the id of a portal user',
      '--search <text>': 'text that the comment contains',
    },
    run: async (run) => {
      const { moderation, idea, author, search } = run.flags
      const query = check(AdminCommentQuery, 'flags', {
        ...(moderation !== undefined && { moderation }),
        ...(idea !== undefined && { idea_id: idea }),
        ...(author !== undefined && { author }),
        ...(search !== undefined && { search }),
        limit: commentsShownMax,
      })
      const { projectId } = await projectAndActor(run)
      return (await listCommentPage(projectId, query, run.session)).items
    },
  },
  {
    verb: 'update',
    operation: 'updateComment',
    summary: 'Replace the text of a comment',
    operand: 'id',
    flags: { ...projectFlag, '--message <text>': 'the new text!' },
    run: async (run) => {
      const body = check(CommentBody, '--message', run.flags.message)
      const commentId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const updated = updateComment(run.session, actor, { projectId, commentId, body })
      return { comment_id: (await orUnknown(unknown(commentId), updated)).id, body }
    },
  },
  {
    verb: 'delete',
    operation: 'deleteComment',
    summary: 'Delete a comment; while it has replies, an empty one stays in its place',
    operand: 'id',
    flags: projectFlag,
    run: async (run) => {
      const commentId = idIn(run)
      const { projectId, actor } = await projectAndActor(run)
      const deleted = deleteComment(run.session, actor, { projectId, commentId })
      await orUnknown(unknown(commentId), deleted)
      return { comment_id: commentId, deleted: true }
    },
  },
]

function unknown(id: string): string {
  return `No comment has the id ${id}.`
}

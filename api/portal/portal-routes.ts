/** Everything below `/api/v1/p/{project_key}`: what the visitors of a project's portal read and write, behind one gate. */
import type { ApiContext } from '../context.ts'
import type { ApiInstance } from '../http/route.ts'
import { registerPortalComments } from './comments/comment-routes.ts'
import { registerFeedbackIntake } from './feedback-intake/feedback-intake-route.ts'
import { addPortalGate } from './gate/portal-gate.ts'
import { registerIdeaReads } from './ideas/idea-read-routes.ts'
import { registerIdeaWrites } from './ideas/idea-write-routes.ts'

export async function registerPortal(app: ApiInstance, ctx: ApiContext): Promise<void> {
  addPortalGate(app, ctx)
  registerIdeaReads(app, ctx)
  registerIdeaWrites(app, ctx)
  registerPortalComments(app, ctx)
  registerFeedbackIntake(app, ctx)
}

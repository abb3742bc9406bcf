import { type AreaRoute, pageRoute } from '../route.ts'

const project = '/projects/:project_id'

export const ideaRoutes: readonly AreaRoute[] = [
  pageRoute(`${project}/ideas`, () => import('./list/ideas-page.tsx').then((m) => m.IdeasPage)),
  // Before the page of one idea, whose pattern matches them, too.
  pageRoute(`${project}/ideas/tags`, () => import('./tags/tags-page.tsx').then((m) => m.TagsPage)),
  pageRoute(`${project}/ideas/comments`, () =>
    import('./comments/comments-page.tsx').then((m) => m.CommentsPage),
  ),
  pageRoute(`${project}/ideas/files`, () =>
    import('./files/idea-files-page.tsx').then((m) => m.IdeaFilesPage),
  ),
  pageRoute(`${project}/ideas/:idea_id`, () =>
    import('./idea/idea-page.tsx').then((m) => m.IdeaPage),
  ),
  pageRoute(`${project}/moderation`, () =>
    import('./moderation/moderation-page.tsx').then((m) => m.ModerationPage),
  ),
  pageRoute(`${project}/portal`, () =>
    import('./portal/portal-page.tsx').then((m) => m.PortalPage),
  ),
  pageRoute(`${project}/feedback/files`, () =>
    import('./files/feedback-files-page.tsx').then((m) => m.FeedbackFilesPage),
  ),
  // One route, so that the list stays in place while items are opened.
  pageRoute(`${project}/feedback/:feedback_id?`, () =>
    import('./feedback/feedback-page.tsx').then((m) => m.FeedbackPage),
  ),
]

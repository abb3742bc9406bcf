import { ButtonLink } from '../../../design/button.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { EmptyState } from '../../../design/content/states.tsx'
import { projectPath } from '../../../url/use-project.ts'
import { usePortalKey } from '../common/portal-key.ts'
import type { View } from './feedback-view.ts'

interface NoFeedbackProps {
  readonly projectId: string
  readonly view: View
}

const snippet = `Sentry.captureFeedback({
  message: 'The cart forgets what is in it.',
  name: 'Ada',
  email: 'ada@example.com',
  // The error that it is about.
  associatedEventId: Sentry.lastEventId(),
})`

export function NoFeedback({ projectId, view }: NoFeedbackProps) {
  const key = usePortalKey(projectId)
  if (view === 'done') return <EmptyState icon="check" title="Nothing resolved or closed yet" />
  if (view === 'archived') return <EmptyState icon="archive" title="Nothing archived" />
  return (
    <EmptyState icon="inbox" title={view === 'all' ? 'No feedback yet' : 'The inbox is empty'}>
      <p>Feedback of your users arrives here, beside the error that it is about.</p>
      <CodeBlock label="JavaScript" code={snippet} />
      {key !== undefined && (
        <CodeBlock
          label="cURL"
          code={`curl ${location.origin}/api/v1/p/${key}/feedback \\\n  -H 'Content-Type: application/json' \\\n  -d '{"message": "The cart forgets what is in it."}'`}
        />
      )}
      <ButtonLink href={projectPath(projectId, 'feedback/files')}>Import a file</ButtonLink>
    </EmptyState>
  )
}

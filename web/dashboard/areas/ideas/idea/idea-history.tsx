import { EmptyState } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { projectPath } from '../../../url/use-project.ts'
import type { IdeaDetail } from '../common/idea.ts'
import { sentenceOf } from './event-sentence.ts'

interface HistoryProps {
  readonly projectId: string
  readonly idea: IdeaDetail
}

/** Newest first: what happened lately is what one asks for. */
export function IdeaHistory({ projectId, idea }: HistoryProps) {
  const events = [...idea.events].reverse()
  if (events.length === 0) return <EmptyState icon="clock" title="No history" />
  return (
    <ol class="idea-history">
      {events.map((event, index) => {
        const { into } = event.details
        return (
          <li key={`${event.at} ${index}`}>
            <div>
              <p>
                <b>{event.actor ?? 'Somebody'}</b> {sentenceOf(event)}
                {typeof into === 'string' && (
                  <>
                    {' '}
                    <a href={projectPath(projectId, `ideas/${into}`)}>this idea</a>
                  </>
                )}
              </p>
              {typeof event.details['reason'] === 'string' && (
                <p class="soft user-text">{event.details['reason']}</p>
              )}
            </div>
            <Time at={event.at} />
          </li>
        )
      })}
    </ol>
  )
}

import { Loaded } from '../../../../design/content/states.tsx'
import { Time } from '../../../../design/content/time.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { useRead } from '../../../../http/use-read.ts'

const newestMax = 8
const scrubbedHint =
  'It was scrubbed and normalized when it was stored. Rules that remove more can be tried; what was removed then is gone.'

/** An event of the project by its id, or one of the newest. */
export function StoredEventChoice({
  projectId,
  eventId,
  error,
  hint = scrubbedHint,
  onEventId,
}: {
  readonly projectId: string
  readonly eventId: string
  readonly error: string | undefined
  readonly hint?: string
  readonly onEventId: (eventId: string) => void
}) {
  const newest = useRead('GET /api/v1/projects/{project_id}/events', {
    params: { project_id: projectId },
    query: { limit: newestMax },
  })
  return (
    <div class="stack">
      <div class="settings-list">
        <TextField
          label="Event id"
          value={eventId}
          onText={onEventId}
          error={error}
          maxLength={100}
          spellcheck={false}
          autocomplete="off"
          placeholder="32 hex digits"
          hint={hint}
        />
      </div>
      <Loaded read={newest} lines={3}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft small">This project has no stored events yet. Paste one instead.</p>
          ) : (
            <fieldset class="trial-events">
              <legend class="soft small">Newest events</legend>
              {items.map((event) => (
                <label key={event.id} class="trial-event">
                  <input
                    type="radio"
                    name="trial-event"
                    checked={event.id === eventId}
                    onChange={() => onEventId(event.id)}
                  />
                  <span class="truncate">{event.title}</span>
                  <span class="soft small">
                    <Time at={event.received_at} />
                  </span>
                </label>
              ))}
            </fieldset>
          )
        }
      </Loaded>
    </div>
  )
}

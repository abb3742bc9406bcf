/** Files that came with the event: pictures, texts, view hierarchies, and all as downloads. */
import { useState } from 'preact/hooks'
import { IconButton } from '../../../../design/button.tsx'
import { formatBytes } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../../design/overlays/dialog.tsx'
import { type Reply, request } from '../../../../http/request.ts'
import { runChange } from '../../../../http/run-change.ts'
import { useRead } from '../../../../http/use-read.ts'
import { canWrite } from '../../../../session/session.ts'
import { hierarchyOf, type ViewNode } from './hierarchy-of.ts'
import './files.css'

const filesRead = 'GET /api/v1/projects/{project_id}/events/{event_id}/attachments'
const previewRead =
  'GET /api/v1/projects/{project_id}/events/{event_id}/attachments/{attachment_id}/preview'
const fileDelete =
  'DELETE /api/v1/projects/{project_id}/events/{event_id}/attachments/{attachment_id}'

type EventFile = Reply<typeof filesRead>['items'][number]

interface EventPlace {
  readonly projectId: string
  readonly eventId: string
}

/** Nothing for an event without files. */
export function FilesPanel({ projectId, eventId }: EventPlace) {
  const params = { project_id: projectId, event_id: eventId }
  const read = useRead(filesRead, { params })
  const [deleting, setDeleting] = useState<EventFile>()
  const files = read.data?.items ?? []
  if (read.problem !== undefined && read.data === undefined) {
    return (
      <Panel title="Attachments">
        <ProblemBox problem={read.problem} onRetry={read.refetch} />
      </Panel>
    )
  }
  if (files.length === 0) return null
  const pictures = files.filter(({ shows }) => shows === 'image')
  const others = files.filter(({ shows }) => shows !== 'image')
  return (
    <Panel title={`Attachments (${files.length})`}>
      {pictures.length > 0 && (
        <ul class="issue-pictures">
          {pictures.map((file) => (
            <li key={file.id}>
              <Picture place={{ projectId, eventId }} file={file} />
              <FileLine place={{ projectId, eventId }} file={file} onDelete={setDeleting} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul class="issue-files">
          {others.map((file) => (
            <li key={file.id}>
              <FileLine place={{ projectId, eventId }} file={file} onDelete={setDeleting} />
              {file.shows !== 'none' && <FilePreview place={{ projectId, eventId }} file={file} />}
            </li>
          ))}
        </ul>
      )}
      {deleting !== undefined && (
        <ConfirmDialog
          title="Delete attachment"
          confirm="Delete the attachment"
          danger
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            const file = deleting
            await runChange({
              send: () => request(fileDelete, { params: { ...params, attachment_id: file.id } }),
              done: 'Deleted the attachment.',
              refetch: [filesRead],
            })
          }}
        >
          <p>
            <bdi>{deleting.name}</bdi> can no longer be read by anybody. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function urlOf({ projectId, eventId }: EventPlace, { id }: EventFile): string {
  return `/api/v1/projects/${projectId}/events/${eventId}/attachments/${id}`
}

function Picture({ place, file }: { readonly place: EventPlace; readonly file: EventFile }) {
  const [isBroken, setBroken] = useState(false)
  const url = `${urlOf(place, file)}?inline=true`
  if (isBroken) return <p class="issue-picture-broken soft small">This is no picture.</p>
  return (
    <a href={url} target="_blank" rel="noreferrer" class="issue-picture">
      <img src={url} alt={file.name} loading="lazy" onError={() => setBroken(true)} />
    </a>
  )
}

function FileLine({
  place,
  file,
  onDelete,
}: {
  readonly place: EventPlace
  readonly file: EventFile
  readonly onDelete: (file: EventFile) => void
}) {
  return (
    <div class="issue-file-line">
      <a class="text-link issue-file-name" href={urlOf(place, file)} download={file.name}>
        <bdi>{file.name}</bdi>
      </a>
      <span class="soft small issue-file-size">{formatBytes(file.size)}</span>
      {canWrite.value && (
        <IconButton icon="trash" label={`Delete ${file.name}`} onClick={() => onDelete(file)} />
      )}
    </div>
  )
}

/** Read when somebody opens it. */
function FilePreview({ place, file }: { readonly place: EventPlace; readonly file: EventFile }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="issue-file-preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{file.shows === 'text' ? 'Show the text' : 'Show the views'}</summary>
      {isOpen && <Preview place={place} file={file} />}
    </details>
  )
}

function Preview({ place, file }: { readonly place: EventPlace; readonly file: EventFile }) {
  const { projectId, eventId } = place
  const read = useRead(previewRead, {
    params: { project_id: projectId, event_id: eventId, attachment_id: file.id },
  })
  if (read.data === undefined) {
    return read.problem === undefined ? (
      <Skeleton lines={4} />
    ) : (
      <ProblemBox problem={read.problem} onRetry={read.refetch} />
    )
  }
  const { text, is_cut: isCut } = read.data
  const tree = file.shows === 'view_hierarchy' ? hierarchyOf(text) : undefined
  return (
    <>
      {tree === undefined ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it with the keyboard.
        <pre class="issue-file-text" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <ViewTree nodes={tree.windows} />
      )}
      {(isCut || tree?.isCut === true) && (
        <p class="soft small">This is the beginning. Download the file to see all of it.</p>
      )}
    </>
  )
}

function ViewTree({ nodes }: { readonly nodes: readonly ViewNode[] }) {
  return (
    <ul class="issue-view-tree">
      {nodes.map((node, index) => (
        <li key={index}>
          {node.children.length === 0 ? (
            <ViewName node={node} />
          ) : (
            <details open>
              <summary>
                <ViewName node={node} />
              </summary>
              <ViewTree nodes={node.children} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function ViewName({ node }: { readonly node: ViewNode }) {
  return (
    <>
      <code>{node.name}</code> <span class="soft small">{node.facts}</span>
    </>
  )
}

import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../design/button.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { countOf, formatNumber } from '../../../design/content/format.ts'
import { Page } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { ConfirmDialog } from '../../../design/overlays/dialog.tsx'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { useShortcuts } from '../../../keyboard/shortcuts.ts'
import { canWrite } from '../../../session/session.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { ideaRead, ideasList } from '../common/idea.ts'
import { TagChip } from '../common/tag-chip.tsx'
import { type PortalTag, TagDialog, tagsList } from './tag-dialog.tsx'
import './tags.css'

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly tag: PortalTag }

export function TagsPage() {
  const projectId = useProjectId()
  const params = { project_id: projectId }
  const read = useRead(tagsList, { params }, { topics: ['ideas'] })
  const [open, setOpen] = useState<Open>()
  const tags = read.data?.items ?? []
  const nextPosition = Math.min(Math.max(0, ...tags.map(({ position }) => position)) + 1, 10_000)
  useShortcuts(
    canWrite.value
      ? [{ keys: 'n', label: 'New tag', group: 'Tags', run: () => setOpen({ kind: 'new' }) }]
      : [],
  )
  /** Gives all tags the number of their place, so that equal numbers do not hinder a move. */
  const move = (index: number, step: number) => {
    const order = [...tags]
    const [moved] = order.splice(index, 1)
    if (moved === undefined) return
    order.splice(index + step, 0, moved)
    void runChange({
      send: async () => {
        for (const [position, tag] of order.entries()) {
          if (tag.position === position) continue
          await request('PATCH /api/v1/admin/portal/{project_id}/tags/{slug}', {
            params: { ...params, slug: tag.slug },
            body: { position },
          })
        }
        return true
      },
      refetch: [tagsList],
    })
  }
  const isEditable = canWrite.value
  return (
    <Page
      title="Tags"
      parent={{ label: 'Ideas', href: projectPath(projectId, 'ideas') }}
      actions={
        isEditable && (
          <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'new' })}>
            New tag
          </Button>
        )
      }
    >
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="tag" title="No tags yet">
              <p>
                Create one for each part of the product. Users filter ideas by them on the portal.
              </p>
            </EmptyState>
          ) : (
            <DataTable
              label="Tags"
              items={items}
              keyOf={({ slug }) => slug}
              columns={[
                { head: 'Tag', cell: (tag) => <TagChip tag={tag} /> },
                { head: 'Address', secondary: true, cell: ({ slug }) => <code>{slug}</code> },
                {
                  head: 'Ideas',
                  numeric: true,
                  cell: ({ slug, idea_count }) => (
                    <a href={projectPath(projectId, `ideas?tag=${encodeURIComponent(slug)}`)}>
                      {formatNumber(idea_count)}
                    </a>
                  ),
                },
                ...(isEditable
                  ? [
                      {
                        head: 'Actions',
                        actions: true,
                        cell: (tag: PortalTag) => {
                          const index = items.indexOf(tag)
                          return (
                            <div class="tag-actions">
                              <IconButton
                                size="s"
                                icon="arrowUp"
                                label={`Move ${tag.name} up`}
                                disabled={index === 0}
                                onClick={() => move(index, -1)}
                              />
                              <IconButton
                                size="s"
                                icon="arrowDown"
                                label={`Move ${tag.name} down`}
                                disabled={index === items.length - 1}
                                onClick={() => move(index, 1)}
                              />
                              <IconButton
                                size="s"
                                icon="edit"
                                label={`Edit ${tag.name}`}
                                onClick={() => setOpen({ kind: 'edit', tag })}
                              />
                              <IconButton
                                size="s"
                                icon="trash"
                                label={`Delete ${tag.name}`}
                                onClick={() => setOpen({ kind: 'delete', tag })}
                              />
                            </div>
                          )
                        },
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      {open?.kind === 'new' && (
        <TagDialog
          projectId={projectId}
          position={nextPosition}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === 'edit' && (
        <TagDialog
          projectId={projectId}
          position={nextPosition}
          tag={open.tag}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete the tag ${open.tag.name}`}
          confirm="Delete the tag"
          danger
          onClose={() => setOpen(undefined)}
          onConfirm={() =>
            runChange({
              send: () =>
                request('DELETE /api/v1/admin/portal/{project_id}/tags/{slug}', {
                  params: { ...params, slug: open.tag.slug },
                }),
              done: `Deleted the tag ${open.tag.name}.`,
              refetch: [tagsList, ideasList, ideaRead],
            })
          }
        >
          <p>It is removed from {countOf(open.tag.idea_count, 'idea')}. The ideas stay.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

export function IdeaFilesPage() {
  return <p>soon</p>
}

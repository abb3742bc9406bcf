export function FeedbackFilesPage() {
  return <p>soon</p>
}

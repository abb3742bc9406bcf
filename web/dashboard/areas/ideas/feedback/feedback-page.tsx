export function FeedbackPage() {
  return <p>soon</p>
}

import type { IssueDetail } from '../issue-reads.ts'
import { ActivityTab } from './activity-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { FeedbackTab } from './feedback-tab.tsx'
import { GroupingTab } from './grouping-tab.tsx'
import { SimilarTab } from './similar-tab.tsx'
import { TagsTab } from './tags-tab.tsx'
import '../css/tabs.css'

interface TabViewProps {
  readonly tab: 'events' | 'tags' | 'activity' | 'similar' | 'feedback' | 'grouping'
  readonly projectId: string
  readonly issue: IssueDetail
}

/** Every view of an issue but the crash itself. */
export function TabView({ tab, ...given }: TabViewProps) {
  switch (tab) {
    case 'events':
      return <EventsTab {...given} />
    case 'tags':
      return <TagsTab {...given} />
    case 'activity':
      return <ActivityTab {...given} />
    case 'similar':
      return <SimilarTab {...given} />
    case 'feedback':
      return <FeedbackTab {...given} />
    case 'grouping':
      return <GroupingTab {...given} />
  }
}

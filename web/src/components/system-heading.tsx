import { PageHeading } from './page-heading.tsx';
import { useRights } from './use-rights.ts';

const FOR_ALL = [
  { to: '/system', name: 'Status' },
  { to: '/system/usage', name: 'Usage' },
  { to: '/system/schedules', name: 'Schedules' },
];
const FOR_ADMINS = [
  { to: '/system/tokens', name: 'API tokens' },
  { to: '/system/audit', name: 'Audit log' },
  { to: '/system/notifications', name: 'Notifications' },
  { to: '/system/configuration', name: 'Configuration' },
];

/** Heading of the system pages and links between those that the viewer may see. */
export function SystemHeading({ title }: { title: string }) {
  const links = useRights().may('ADMIN') ? [...FOR_ALL, ...FOR_ADMINS] : FOR_ALL;
  return <PageHeading title={title} id="system-top" label="System" links={links} />;
}

import { readProc } from './proc.ts';

export interface Mount {
  path: string;
  device: string;
  type: string;
  /** True for a network file system, whose calls may block. */
  network: boolean;
}

/** File systems that cannot fill up: views of the kernel and read-only images. */
const PSEUDO_TYPES = new Set(
  (
    'autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fuse.gvfsd-fuse fuse.lxcfs fusectl ' +
    'hugetlbfs mqueue nsfs proc pstore ramfs rpc_pipefs securityfs selinuxfs squashfs sysfs tracefs'
  ).split(' '),
);

const NETWORK_TYPES =
  /^(?:nfs\d?|cifs|smb\d?|smbfs|ceph|glusterfs|9p|afs|fuse\.(?:sshfs|s3fs|glusterfs|rclone))$/;

/** Decodes the octal escapes that the kernel uses for space, tab, newline and backslash. */
function unescapeField(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Returns the mounted file systems in mount order; `all` includes pseudo file systems. @throws ToolFailure without procfs */
export async function readMounts(procRoot: string, which: 'storage' | 'all' = 'storage'): Promise<Mount[]> {
  const text = await readProc(procRoot, 'self/mounts');
  const mounts: Mount[] = [];
  for (const line of text.split('\n')) {
    const [device = '', path = '', type = ''] = line.split(' ').map(unescapeField);
    if (path === '' || (which === 'storage' && PSEUDO_TYPES.has(type))) continue;
    mounts.push({ path, device, type, network: NETWORK_TYPES.test(type) });
  }
  return mounts;
}

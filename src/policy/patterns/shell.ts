import type { BuiltinPattern } from './pattern.ts';

/** Commands that destroy, take over or stay: not a list of all commands, and no parser of shells. */
export const shell: readonly BuiltinPattern[] = [
  {
    name: 'download_to_shell',
    regex:
      '(?i:\\b(?:curl|wget|fetch)\\b[^\\n|]*\\|\\s*(?:sudo\\s+(?:-\\w+\\s+)*)?(?:/[\\w/.]+/)?(?:(?:ba|z|da|k|fi)?sh|python[0-9.]*|perl|ruby|node|php)\\b)',
    why: 'Runs what it downloads',
  },
  {
    name: 'shell_of_download',
    regex: '\\b(?:(?:ba|z|da|k)?sh|eval|source)\\b[^\\n]*(?:<\\(|\\$\\(|`)\\s*(?:curl|wget)\\b',
    why: 'Runs what it downloads, the other way round',
  },
  {
    name: 'decode_to_shell',
    regex:
      '\\b(?:base64\\s+(?:-d|-D|--decode)|xxd\\s+-r|openssl\\s+enc\\b[^\\n|]*-d)\\b[^\\n]*\\|\\s*(?:sudo\\s+)?(?:/[\\w/.]+/)?(?:(?:ba|z|da|k)?sh|python[0-9.]*|perl)\\b',
    why: 'Runs what it decodes',
  },
  {
    name: 'remove_tree',
    regex:
      '\\brm\\s+(?:-{1,2}[\\w-]+\\s+)*-(?:[A-Za-z]*[rR][A-Za-z]*f|[A-Za-z]*f[A-Za-z]*[rR])[A-Za-z]*\\s+(?:-{1,2}[\\w-]+\\s+)*["\']?(?:/(?:\\*|\\s|["\';&|)]|$)|/(?:etc|usr|var|home|boot|bin|sbin|lib|lib64|root|opt|srv)(?:/?\\*?)?(?:\\s|["\';&|)]|$)|~/?(?:\\*|\\s|["\';&|)]|$)|\\$\\{?HOME\\}?/?(?:\\*|\\s|["\';&|)]|$)|--no-preserve-root)',
    why: 'Deletes the system or the home directory; deeper directories pass',
  },
  {
    name: 'overwrite_disk',
    regex:
      '\\bdd\\b[^\\n]*\\bof=/dev/(?:sd|nvme|vd|hd|xvd|mmcblk|disk)|\\bmkfs(?:\\.\\w+)?\\s+(?:-\\S+\\s+)*/dev/|>\\s*/dev/(?:sd[a-z]|nvme\\d|vd[a-z]|xvd[a-z])|\\bshred\\b[^\\n]*\\s/dev/',
    why: 'Writes over block devices',
  },
  {
    name: 'reverse_shell',
    regex:
      '/dev/(?:tcp|udp)/[^\\s/]+/\\d+|\\b(?:nc|ncat|netcat)\\b[^\\n|;&]*\\s(?:-\\w*[ec]|--exec|--sh-exec)\\s+\\S*(?:sh|cmd)|\\bmkfifo\\b[^\\n]*\\|\\s*(?:nc|ncat|netcat|telnet|openssl)\\b|\\bsocat\\b[^\\n]*\\b(?i:exec):|\\bperl\\b[^\\n]*\\bSocket\\b[^\\n]*\\bexec\\b|(?s:socket\\.socket\\(.*(?:dup2|pty\\.spawn|subprocess))',
    why: 'Gives a shell to another host',
  },
  {
    name: 'fork_bomb',
    regex: ':\\s*\\(\\)\\s*\\{\\s*:\\s*\\|\\s*:\\s*&?\\s*\\}\\s*;\\s*:',
    why: 'Starts processes without end',
  },
  {
    name: 'set_user_id',
    regex: '\\bchmod\\s+(?:-\\w+\\s+)*(?:[ugoa]*[+=][rwxt]*s|[2-7][0-7]{3})\\s',
    why: 'Makes a program run as its owner',
  },
  {
    name: 'open_to_all',
    regex:
      '\\bchmod\\s+(?:-\\w+\\s+)*(?:0?777|a\\+rwx)\\s+(?:-\\w+\\s+)*/(?:\\s|$)|\\b(?:ip6?tables|nft)\\s+(?:-F|--flush|flush\\s+ruleset)\\b|\\bufw\\s+disable\\b|\\bsetenforce\\s+0\\b',
    why: 'Takes the protection off the system: permissions of the root, firewall, SELinux',
  },
  {
    name: 'persistence',
    regex:
      '>>?\\s*["\']?(?:~|\\$\\{?HOME\\}?|/root|/home/[^/\\s]+)/\\.(?:bashrc|bash_profile|profile|zshrc|ssh/authorized_keys)|>>?\\s*["\']?/etc/(?:passwd|shadow|sudoers|cron|profile|ld\\.so\\.preload|rc\\.local)|\\|\\s*crontab\\s+-|\\btee\\s+(?:-a\\s+)?["\']?/etc/(?:passwd|shadow|sudoers|cron|ld\\.so\\.preload)',
    why: 'Writes to what runs or logs in later',
  },
  {
    name: 'read_credentials',
    regex:
      '\\b(?:cat|less|more|head|tail|xxd|base64|strings|cp|scp)\\s+(?:-\\S+\\s+)*["\']?(?:/etc/(?:shadow|gshadow|sudoers)|(?:~|\\$\\{?HOME\\}?|/root|/home/[^/\\s]+)/\\.(?:ssh/id_|aws/credentials|netrc|kube/config|docker/config\\.json|npmrc|pypirc|git-credentials|gnupg/))',
    why: 'Reads files that hold credentials',
  },
  {
    name: 'injected_command',
    regex:
      '(?:[;&|\\n]\\s{0,4}|&&\\s{0,4}|\\$\\(\\s{0,4}|`)(?:(?:/usr)?/s?bin/)?(?:whoami\\b|id\\s*(?:[;&|)`#]|$)|uname\\s+-a|cat\\s+/etc/(?:passwd|shadow|hosts)|curl\\s+(?:-\\S+\\s+)*["\']?https?://|wget\\s+(?:-\\S+\\s+)*["\']?https?://|nc\\s+-|bash\\s+-[ic]|sh\\s+-[ic]|rm\\s+-[rf]|sleep\\s+\\d+\\s*(?:[;&|)`#]|$)|ping\\s+-[cn]\\s)',
    why: 'A second command behind a separator or inside a substitution, of the kind that probes or takes over',
  },
  {
    name: 'hide_traces',
    regex:
      '\\bhistory\\s+-c\\b|\\bunset\\s+HISTFILE\\b|\\bHISTFILE=/dev/null\\b|\\brm\\s+(?:-\\w+\\s+)*\\S*\\.bash_history\\b',
    why: 'Removes the shell history',
  },
  {
    name: 'powershell_download',
    regex:
      '(?i:\\bpowershell(?:\\.exe)?\\b[^\\n]*\\s-e(?:nc?|ncodedcommand)?\\s+[A-Za-z0-9+/=]{20,}|\\b(?:iex|invoke-expression)\\b[^\\n]*\\b(?:downloadstring|invoke-webrequest|iwr|net\\.webclient)\\b|\\.downloadstring\\([^)]*\\)\\s*\\|\\s*iex\\b)',
    why: 'Runs what it downloads or decodes, in PowerShell',
  },
];

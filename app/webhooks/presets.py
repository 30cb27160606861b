"""Systems that people connect: what each needs, and honestly what it does not take from us."""

from dataclasses import dataclass
from urllib.parse import urlsplit

SITE = ("release.published",)


@dataclass(frozen=True)
class Preset:
    """One way to begin. `steps`: how to get its address; `placeholder`: how that looks; `note`: what to know.

    `signature`: what becomes of ours there. `direct` False: what it expects is not what we send, and `steps`
    lead through something in between. `host`: where all of its addresses lead, if they do.
    """

    key: str
    name: str
    kind: str
    does: str
    steps: tuple[str, ...]
    placeholder: str
    events: tuple[str, ...]
    signature: str
    direct: bool = True
    host: str = ""

    @property
    def unread(self) -> bool:
        """Whether nobody looks at our signature there, nor can."""
        return self.signature == _UNREAD


_BUILDS = "Build a site elsewhere"
_CONNECTORS = "Connect to other programs"
_CHATS = "Tell a chat"
_UNREAD = (
    "It looks at no signature: whoever knows the address can start a build, so keep the address to yourself."
)
_ANYBODY = (
    "It takes what anybody sends to that address. To be sure that it was us, check the signature in its"
    " first step, or keep the address to yourself."
)


def _chat(key: str, name: str, expects: str, step: str) -> Preset:
    return Preset(
        key,
        name,
        _CHATS,
        f"Writes a line in a channel of {name}, by way of a connector.",
        (
            f"{name} takes only {expects}, not what we send: sent there directly, it would be refused.",
            "In Zapier, Make or n8n, begin with “receive a webhook”, and enter its address here.",
            step,
        ),
        "https://hooks.zapier.com/…",
        ("release.published", "broadcast.finished", "broadcast.needs_attention"),
        _ANYBODY,
        direct=False,
    )


PRESETS: tuple[Preset, ...] = (
    Preset(
        "own",
        "A program of your own",
        "Your own",
        "Your server is called at each event, signed, so that it can be sure who calls.",
        ("Choose the address at which your program takes POST requests, over https.",),
        "https://example.org/godwit",
        ("*",),
        "Check it: the page for receivers has a verifier to copy, in three languages.",
    ),
    Preset(
        "netlify",
        "Netlify",
        _BUILDS,
        "Builds a site anew whenever you publish.",
        ("In Netlify: Project configuration, Build & deploy, Build hooks: add one, and copy its address.",),
        "https://api.netlify.com/build_hooks/…",
        SITE,
        _UNREAD,
        host="api.netlify.com",
    ),
    Preset(
        "vercel",
        "Vercel",
        _BUILDS,
        "Builds a site anew whenever you publish.",
        ("In Vercel: the project’s Settings, Git, Deploy Hooks: make one, and copy its address.",),
        "https://api.vercel.com/v1/integrations/deploy/…",
        SITE,
        _UNREAD,
        host="api.vercel.com",
    ),
    Preset(
        "cloudflare",
        "Cloudflare Pages",
        _BUILDS,
        "Builds a site anew whenever you publish.",
        ("In Cloudflare: Workers & Pages, the project’s Settings, Builds, Deploy hooks: add one.",),
        "https://api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/…",
        SITE,
        _UNREAD,
        host="api.cloudflare.com",
    ),
    Preset(
        "zapier",
        "Zapier",
        _CONNECTORS,
        "Begins a Zap at each event.",
        ("Make a Zap whose trigger is “Webhooks by Zapier”, “Catch Hook”, and copy its address.",),
        "https://hooks.zapier.com/hooks/catch/…",
        ("*",),
        _ANYBODY,
        host="hooks.zapier.com",
    ),
    Preset(
        "make",
        "Make",
        _CONNECTORS,
        "Begins a scenario at each event.",
        ("Add the module “Webhooks”, “Custom webhook” to a scenario, and copy its address.",),
        "https://hook.eu1.make.com/…",
        ("*",),
        _ANYBODY,
    ),
    Preset(
        "n8n",
        "n8n",
        _CONNECTORS,
        "Begins a workflow at each event.",
        (
            "Begin a workflow with the node “Webhook”, its method POST, and copy its production address."
            " Only an n8n that is reached from the internet over https can be called.",
        ),
        "https://n8n.example.org/webhook/…",
        ("*",),
        _ANYBODY,
    ),
    _chat(
        "slack",
        "Slack",
        "a body of its own form, with a text in it",
        "Then add a step “Slack: send a message”.",
    ),
    _chat(
        "discord",
        "Discord",
        "a body of its own form, with its content",
        "Then add a step “Discord: send a channel message”.",
    ),
    _chat(
        "mattermost",
        "Mattermost",
        "a body of its own form, with a text in it",
        "Then add a step “Mattermost: post a message”.",
    ),
)
_OWN_FORM: dict[str, tuple[str, str]] = {
    "hooks.slack.com": ("", "Slack"),
    "discord.com": ("/api/webhooks/", "Discord"),
    "discordapp.com": ("/api/webhooks/", "Discord"),
}


def preset_named(key: str) -> Preset | None:
    """The preset of that key, or None."""
    return next((one for one in PRESETS if one.key == key), None)


def expects_its_own(url: str) -> str:
    """The chat that would refuse what we send to this address, or ''."""
    parts = urlsplit(url)
    path, name = _OWN_FORM.get(parts.hostname or "", ("", ""))
    return name if name and parts.path.startswith(path) else ""


def doubt_of(url: str, preset: Preset | None) -> str:
    """Why an address is hardly the one that was meant, or ''."""
    chat = expects_its_own(url)
    if chat:
        return (
            f"{chat} takes only a body of its own form, and would refuse what Godwit sends. Choose Zapier,"
            f" Make or n8n above, let that write to {chat}, and give the address that you get there."
        )
    if preset and preset.host and (urlsplit(url).hostname or "") != preset.host:
        return f"This is no address of {preset.name}: those begin with {preset.placeholder.rstrip('…')}"
    return ""

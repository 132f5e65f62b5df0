"""EchoMQ's flows in plain Python (echomq.md 4.9): parents that count children down, and the outbox between queues."""

from dataclasses import dataclass, replace

from emqtop.wire.echomq.flows import Node
from tests.wire.echomq.machine.rows import Rows, known


@dataclass(slots=True)
class FlowModel(Rows):
    """The parents and children of one queue."""

    def hold(self, node: Node) -> None:
        self.fields(node.id).update(state="awaiting_children", attempts="0", payload=known(node.payload))
        self.space.delete(self.row(node.id, ":dependencies"))
        self.space.strings[self.row(node.id, ":dependencies")] = str(len(node.children))

    def link(self, node: Node, parent: Node, parent_queue: str) -> None:
        self.fields(node.id).update(parent=parent.id, parent_policy=node.policy)
        if parent_queue != self.name:
            self.fields(node.id)["parent_queue"] = parent_queue

    def add_flow(self, root: Node) -> None:
        """A node and all below it; only links of children are written here."""
        self.hold(root)
        for child in root.children:
            queue = replace(self, name=child.queue or self.name)
            if child.children:
                queue.add_flow(child)
            else:
                queue.fields(child.id).update(state="pending", attempts="0", payload=known(child.payload))
                self.space.zsets[queue.key("pending")][child.id] = 0.0
            queue.link(child, root, self.name)

    def count_down(self, parent: str) -> None:
        key = self.row(parent, ":dependencies")
        left = int(self.space.strings.get(key, "0")) - 1
        self.space.strings[key] = str(left)
        if left <= 0:
            self.space.zsets[self.key("pending")][parent] = 0.0
            self.fields(parent)["state"] = "pending"

    def kill_parent(self, parent: str, error: str) -> None:
        fields = self.fields(parent)
        fresh = fields.get("state") != "dead"
        fields["state"] = "dead"
        self.space.zsets[self.key("dead")][parent] = 0.0
        self.space.remove(self.key("pending"), parent)
        if fresh and "parent" in fields:
            policy = "id" if fields.get("parent_policy") == "id" else "fp"
            self.emit("", "fail", fields.get("parent_queue", self.name), fields["parent"], parent, policy, error)

    def emit(self, *fields: str) -> None:
        self.space.lists[self.key("flow:outbox")].append("\0".join(fields))

    def tell_done(self, parent: str, parent_queue: str, child: str, result: str) -> None:
        if parent_queue:
            self.emit(parent_queue, parent, child, result)
            return
        self.space.hashes[self.row(parent, ":processed")][child] = result
        self.count_down(parent)

    def tell_died(self, parent: str, parent_queue: str, policy: str, child: str, error: str) -> None:
        if parent_queue:
            self.emit("", "fail", parent_queue, parent, child, policy, error)
        elif policy == "id":
            self.space.hashes[self.row(parent, ":unsuccessful")][child] = error
            self.count_down(parent)
        else:
            self.space.hashes[self.row(parent, ":failed")][child] = error
            self.kill_parent(parent, error)

    def sweep_outbox(self) -> int:
        entries = list(self.space.lists[self.key("flow:outbox")])
        for entry in entries:
            self.deliver(entry)
        del self.space.lists[self.key("flow:outbox")][: len(entries)]
        return len(entries)

    def deliver(self, entry: str) -> None:
        if entry.startswith("\0fail\0"):
            _, _, queue, parent, child, policy, error = entry.split("\0", 6)
        else:
            queue, parent, child, error = entry.split("\0", 3)
            policy = "done"
        home = replace(self, name=queue)
        told = {"done": ":processed", "fp": ":failed", "id": ":unsuccessful"}[policy]
        record = self.space.hashes[home.row(parent, told)]
        if child in record:
            return
        record[child] = error
        if policy == "fp":
            home.kill_parent(parent, error)
        else:
            home.count_down(parent)
